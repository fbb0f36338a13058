//! The network models against reference tables, closed forms and a slow obvious twin.

mod ideal;
mod reference;
mod script;
mod sharing;
mod twin;
