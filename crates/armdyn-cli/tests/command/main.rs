//! The command as a user types it: what it answers, what it says when something is wrong, and with which exit code.

mod animate;
mod bad_input;
mod control;
mod deflect;
mod derive;
mod design;
mod everyday;
mod explain;
mod importance;
mod inverse_kinematics;
mod joints;
mod range;
mod report;
mod reproduce;
mod simplify;
mod simulate;
mod simulate_arm;
mod size;
mod snapshots;
mod study;
mod tables;
mod tipover;
mod tool;
mod trace;
mod trajectory;
mod typed;
