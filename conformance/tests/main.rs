//! The formulations against each other, the laws of mechanics, the documents and the peers, as one program: linking is the slow part.

mod allocations;
mod boundary;
mod dispatch;
mod documents;
mod documents_bejczy;
mod documents_lau;
mod documents_lin;
mod documents_morris;
mod documents_renaud;
mod explain;
mod fault_rates;
mod followers;
mod formats;
mod forms;
mod laws;
mod matrix;
mod peers;
mod planted_faults;
mod real_files;
mod repository;
mod robustness;
