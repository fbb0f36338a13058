//! Probabilistic latent Dirichlet allocation with sampled proportions (Blei, Ng and Jordan 2003; FL-SAEM draft 5.2).
//!
//! ```text
//! ϑ_i ~ Dirichlet(α, …, α)                            K proportions of topics per document
//! every token of document i is word v with probability Σ_k ϑ_ik β_vk        (the topics of tokens are summed out)
//!
//! z = (log ϑ_1/ϑ_K, …, log ϑ_{K−1}/ϑ_K),  p(z) = Γ(Kα)/Γ(α)^K Π_k ϑ_k^α     (Dirichlet in the softmax basis)
//! ∂/∂z_k log p(z | y) = Σ_v n_v (r_vk − ϑ_k) + α − K α ϑ_k,   r_vk = ϑ_k β_vk / Σ_j ϑ_j β_vj
//! S_vk = N⁻¹ Σ_i n_iv r_ivk                            expected tokens of word v from topic k, per document
//! T: β_vk ∝ S_vk + ε/N,  Σ_v β_vk = 1                  (posterior mode under Dirichlet(1 + ε) on every topic)
//! ```
//!
//! | vector | entries |
//! |---|---|
//! | s, θ | word by word the K topics: S_vk, β_vk; q = V K |
//!
//! log p is that of the words in order: no multinomial coefficient. The Gibbs kernel draws the topics of all tokens,
//! then ϑ.

mod model;
mod posterior;
mod sampler;
mod setting;
mod tokens;
mod words;

pub use model::TopicModel;
pub use sampler::PERPLEXITY;
pub use setting::TopicsSetting;
