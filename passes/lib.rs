//! How the IR is rewritten: checks, schedules, lowering.
pub mod analysis {
    //! Facts about the IR that passes ask for; nothing here changes it.
    pub mod computation;
}
pub mod schedule {
    //! Schedules: the tuning parameters as data.
    pub mod attribute;
    pub mod default;
    pub mod json;
    pub mod model;
    pub mod random;
    pub mod reader;
    pub mod rules;
    pub mod systems;
    #[cfg(test)]
    mod tests;
}
