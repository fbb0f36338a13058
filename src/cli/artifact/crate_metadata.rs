//! The metadata of an archive: an RO-Crate 1.1 (<https://w3id.org/ro/crate/1.1>) of the profile Process Run Crate 0.5
//! (<https://w3id.org/ro/wfrun/process/0.5>).

use fedbits_reports::encode_uri;
use serde_json::{Value, json};

use super::archive::iso_day;
use super::{Artifact, Folder};
use crate::cli::host;

const PROFILE: &str = "https://w3id.org/ro/wfrun/process/0.5";
const PROGRAM: &str = "#fedbits";

/// A link to an entity, or several.
fn links(ids: impl IntoIterator<Item = String>) -> Value {
    let mut links: Vec<Value> = ids.into_iter().map(|id| json!({ "@id": id })).collect();
    // A single value is no list (RO-Crate 1.1, appendix on JSON-LD).
    if links.len() == 1 { links.remove(0) } else { links.into() }
}

fn file(id: &str, name: &str, format: &str) -> Value {
    json!({ "@id": encode_uri(id), "@type": "File", "name": name, "encodingFormat": format })
}

impl Artifact<'_> {
    /// The text of `ro-crate-metadata.json`.
    pub(super) fn metadata(&self) -> String {
        let graph: Vec<Value> = [self.fixed(), self.people(), self.runs(), self.files()].concat();
        let all = json!({ "@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph });
        format!("{all:#}\n")
    }

    fn fixed(&self) -> Vec<Value> {
        let parts = self.files().into_iter().chain(self.folders.iter().map(Folder::results));
        let parts = parts.filter_map(|part| part["@id"].as_str().map(str::to_owned));
        let licence = match &self.options.license {
            Some(name) => links([licence_address(name)]),
            None => json!("No licence is stated."),
        };
        let mut root = json!({
            "@id": "./", "@type": "Dataset", "name": self.title(),
            "description": "Results of simulations, with their scenarios and a script that repeats and compares them.",
            "datePublished": iso_day(host::seconds_since_1970()),
            "license": licence,
            "conformsTo": links([PROFILE.to_owned()]),
            "hasPart": links(parts),
            "mentions": links(self.folders.iter().map(Folder::run_id)),
        });
        if !self.options.author.is_empty() {
            root["author"] = links((0..self.options.author.len()).map(author_id));
        }
        vec![
            json!({
                "@id": "ro-crate-metadata.json", "@type": "CreativeWork", "about": { "@id": "./" },
                "conformsTo": links(["https://w3id.org/ro/crate/1.1".to_owned()]),
            }),
            root,
            json!({ "@id": PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5" }),
            json!({
                "@id": PROGRAM, "@type": "SoftwareApplication", "name": env!("CARGO_PKG_NAME"),
                "description": env!("CARGO_PKG_DESCRIPTION"), "softwareVersion": env!("CARGO_PKG_VERSION"),
            }),
        ]
    }

    fn people(&self) -> Vec<Value> {
        let authors = self.options.author.iter().enumerate();
        let authors = authors.map(|(n, name)| json!({ "@id": author_id(n), "@type": "Person", "name": name }));
        let licence = self.options.license.iter().map(
            |name| json!({ "@id": licence_address(name), "@type": "CreativeWork", "name": name, "identifier": name }),
        );
        authors.chain(licence).collect()
    }

    fn runs(&self) -> Vec<Value> {
        let run = |folder: &Folder| {
            let data = folder.data.iter().flat_map(|(name, paths)| paths.iter().map(move |path| (name, path)));
            let data = data.map(|(name, path)| {
                let name = super::archive::data_name(name, path);
                if self.options.without_data {
                    format!("#data/{}", encode_uri(&name))
                } else {
                    encode_uri(&format!("data/{name}"))
                }
            });
            let mut run = json!({
                "@id": folder.run_id(), "@type": "CreateAction", "name": format!("fedbits run {}", folder.name),
                "description": "Makes the runs of the scenario: all arms, axes and replicates.",
                "instrument": links([PROGRAM.to_owned()]),
                "object": links([encode_uri(&format!("scenarios/{}.ron", folder.name))].into_iter().chain(data)),
                "result": links([encode_uri(&format!("results/{}/", folder.name))]),
            });
            if !self.options.author.is_empty() {
                run["agent"] = links([author_id(0)]);
            }
            run
        };
        self.folders.iter().map(run).chain(self.folders.iter().map(Folder::results)).chain(self.left_out()).collect()
    }

    /// Data that the reader has to get: no files of the crate.
    fn left_out(&self) -> Vec<Value> {
        let left_out = self.data.iter().filter(|_| self.options.without_data);
        left_out
            .map(|file| {
                let mut thing = json!({
                    "@id": format!("#data/{}", encode_uri(&file.name)), "@type": "CreativeWork", "name": file.name,
                    "description": format!("{} bytes with SHA-256 {}, not in the crate", file.bytes, file.sha256),
                });
                if let Some(set) = file.known() {
                    (thing["url"], thing["license"]) = (json!(set.address), json!(set.licence));
                }
                thing
            })
            .collect()
    }

    fn files(&self) -> Vec<Value> {
        let mut files = vec![
            file("README.md", "Appendix: what is here, and how to verify it", "text/markdown"),
            file("reproduce.sh", "Repeats every run and compares the results", "application/x-sh"),
        ];
        for folder in &self.folders {
            let path = format!("scenarios/{}.ron", folder.name);
            files.push(file(&path, &format!("Scenario {}", folder.name), "text/plain"));
        }
        let figure =
            |name: &String| json!({ "@id": encode_uri(&format!("figures/{name}")), "@type": "File", "name": name });
        files.extend(self.figures.iter().map(|drawn| figure(&drawn.name)));
        for data in self.data.iter().filter(|_| !self.options.without_data) {
            let mut entity = json!({
                "@id": encode_uri(&format!("data/{}", data.name)), "@type": "File", "name": data.name,
                "contentSize": data.bytes.to_string(), "description": format!("SHA-256 {}", data.sha256),
            });
            if let Some(set) = data.known() {
                (entity["isBasedOn"], entity["license"]) = (json!(set.address), json!(set.licence));
            }
            files.push(entity);
        }
        files
    }
}

impl Folder {
    fn run_id(&self) -> String {
        format!("#run-{}", encode_uri(&self.name))
    }

    fn results(&self) -> Value {
        json!({
            "@id": encode_uri(&format!("results/{}/", self.name)), "@type": "Dataset",
            "name": format!("Results of {}", self.name),
            "description": format!("{} of {} runs; digest of all results {}", self.results, self.planned, self.digest),
        })
    }
}

fn author_id(number: usize) -> String {
    format!("#author-{}", number + 1)
}

/// The page of a licence, by its identifier of SPDX; an address stays.
fn licence_address(name: &str) -> String {
    if name.contains("://") { name.to_owned() } else { format!("https://spdx.org/licenses/{}", encode_uri(name)) }
}
