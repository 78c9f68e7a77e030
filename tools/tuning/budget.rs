//! The budget of a tuner: a time or a number of evaluations.
use std::{
    fmt,
    time::{Duration, Instant},
};

/// The budget of a tuner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// Time from the first measurement.
    Time(Duration),
    /// Number of evaluations, the default schedule included.
    Evaluations(usize),
}

/// Maximum time of a budget: a year.
const MAX_SECONDS: f64 = 366.0 * 86400.0;

impl Budget {
    /// Reads a budget: a number of evaluations, or a number with the unit s, m or h. The error says what is required.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("requires a number of evaluations, or a time such as 90s, 10m or 2h, but got '{text}'");
        if let Ok(count) = text.parse::<usize>() {
            return if count > 0 { Ok(Self::Evaluations(count)) } else { Err(wrong()) };
        }
        let units = [("s", 1.0), ("m", 60.0), ("h", 3600.0)];
        let unit = units.into_iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)));
        let (number, unit) = unit.ok_or_else(wrong)?;
        let seconds = number.parse::<f64>().map_err(|_| wrong())? * unit;
        if !(seconds > 0.0 && seconds <= MAX_SECONDS) {
            return Err(wrong());
        }
        Ok(Self::Time(Duration::from_secs_f64(seconds)))
    }

    /// Returns true if the budget is used up: since `start`, with so many evaluations.
    pub fn is_used(&self, start: Instant, evaluations: usize) -> bool {
        match self {
            Self::Time(time) => start.elapsed() >= *time,
            Self::Evaluations(count) => evaluations >= *count,
        }
    }

    /// Returns what is left of the budget as text.
    pub fn left(&self, start: Instant, evaluations: usize) -> String {
        match self {
            Self::Time(time) => {
                let seconds = time.saturating_sub(start.elapsed()).as_secs();
                format!("{}:{:02} left", seconds / 60, seconds % 60)
            }
            Self::Evaluations(count) => format!("{} left", count.saturating_sub(evaluations)),
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(time) => write!(formatter, "{} s", time.as_secs_f64()),
            Self::Evaluations(count) => write!(formatter, "{count} evaluations"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_counts_or_times() {
        assert_eq!(Budget::parse("50"), Ok(Budget::Evaluations(50)));
        assert_eq!(Budget::parse("90s"), Ok(Budget::Time(Duration::from_secs(90))));
        assert_eq!(Budget::parse("1.5m"), Ok(Budget::Time(Duration::from_secs(90))));
        assert_eq!(Budget::parse("2h"), Ok(Budget::Time(Duration::from_secs(7200))));
        for wrong in ["", "0", "-1", "0s", "1d", "m", "nans", "1e99h"] {
            let expected = "requires a number of evaluations, or a time such as 90s, 10m or 2h";
            assert!(Budget::parse(wrong).is_err_and(|error| error.starts_with(expected)), "{wrong}");
        }
    }

    #[test]
    fn budgets_end() {
        let start = Instant::now();
        assert!(Budget::Evaluations(2).is_used(start, 2) && !Budget::Evaluations(2).is_used(start, 1));
        assert!(!Budget::Time(Duration::from_secs(60)).is_used(start, 1000));
        assert!(Budget::Time(Duration::from_nanos(1)).is_used(start, 0));
        assert_eq!(Budget::Evaluations(5).left(start, 2), "3 left");
    }
}
