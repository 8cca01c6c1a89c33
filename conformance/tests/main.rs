//! The formulations against each other, the laws of mechanics, the documents and the peers, as one program: linking is the slow part.

mod allocations;
mod boundary;
mod dispatch;
mod formats;
mod forms;
mod laws;
mod matrix;
mod peers;
mod real_files;
mod repository;
mod robustness;
mod seeds_bejczy;
mod seeds_documents;
mod seeds_lau;
mod seeds_lin;
mod seeds_morris;
mod seeds_renaud;
