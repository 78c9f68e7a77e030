//! The rules on incomplete expressions, and the positions at which they report violations.
use super::*;
use crate::schedule::model::Tag;

fn step(layer: usize, parts: u64) -> ChainStep {
    let operator = CombineOperator::Concatenation;
    let level = Level { layer, dimension: 0 };
    ChainStep { level, parts: Some(parts), tag: None, placements: None, operator }
}

/// Eight points in two parts of four, without tags and placements.
fn chain() -> Chain {
    let steps = vec![step(0, 2), step(1, 4), step(2, 1)];
    Chain {
        system: System::builtin("artificial"),
        layers: 3,
        extents: vec![Some(8)],
        inputs: Some(vec![1]),
        outputs: Some(vec![1]),
        parts: Some(steps.iter().map(|step| vec![step.parts]).collect()),
        decompose: steps.clone(),
        scalar: steps.clone(),
        reads: None,
        writes: None,
        recompose: steps,
    }
}

fn tagged(mut step: ChainStep, layer: &str) -> ChainStep {
    step.tag = Some(Tag { layer: layer.to_owned(), dimension: 0 });
    step
}

#[test]
fn what_is_not_there_yet_breaks_no_rule() {
    assert_eq!(violations(&chain()), []);
    let mut begun = chain();
    (begun.outputs, begun.recompose) = (None, vec![step(2, 1)]);
    assert_eq!(violations(&begun), []);
    (begun.inputs, begun.parts, begun.decompose) = (None, None, vec![step(1, 4)]);
    assert_eq!(violations(&begun), []);
    begun.system = None;
    begun.decompose[0] = tagged(step(1, 4), "no layer");
    assert_eq!(violations(&begun), []);
}

#[test]
fn phases_lack_levels_only_where_they_reach_their_view() {
    let mut short = chain();
    short.recompose.remove(0);
    let [violation] = violations(&short).try_into().expect("one violation");
    assert_eq!(violation.message, "S1: the re-composition phase lacks the level (1, 1)");
    assert_eq!(
        (violation.at, violation.note),
        (Position::Scalar, Some((Position::Outputs, "the phase ends at this view")))
    );
}

#[test]
fn notes_are_at_other_places() {
    let mut twice = chain();
    twice.recompose[0] = step(1, 4);
    let found = violations(&twice);
    // The phase is executed from its last step to its first.
    assert_eq!(found[0].message, "S1: the re-composition phase has the level (2, 1) twice");
    assert_eq!((found[0].at, found[0].note), (Position::Recompose(0), Some((Position::Recompose(1), OTHER))));
    let mut same = chain();
    same.scalar = same.scalar.into_iter().map(|step| tagged(step, "HM")).collect();
    assert!(violations(&same).iter().all(|violation| violation.at == Position::Scalar && violation.note.is_none()));
    assert_eq!(
        violations(&same)[0].message,
        "S3: levels (1, 1) and (2, 1) of the scalar phase have the same tag (HM, 1)"
    );
}

#[test]
fn phases_agree_on_part_counts() {
    let mut other = chain();
    other.recompose[1].parts = None;
    let [violation] = violations(&other).try_into().expect("one violation");
    assert_eq!(violation.message, "S2: level (2, 1) has 4 parts in the de-composition, but ? in the re-composition");
    assert_eq!(
        (violation.at, violation.note.map(|note| note.0)),
        (Position::Recompose(1), Some(Position::Decompose(1)))
    );
}

#[test]
fn numbers_below_one_are_themselves_in_messages() {
    let mut below = chain();
    let dimension = 0usize.wrapping_sub(8);
    below.decompose[0].tag = Some(Tag { layer: "HM".to_owned(), dimension });
    below.reads = Some(vec![Placement::new("HM", [dimension])]);
    let messages: Vec<_> = violations(&below).into_iter().map(|violation| violation.message).collect();
    assert_eq!(
        messages,
        [
            "S3: level (1, 1) of the de-composition phase is tagged with the dimension -7, but there are 1",
            "S5: the scalar phase gives input buffer 1 the layout [-7], but a permutation of 1 to 1 is required"
        ]
    );
}
