//! Times every row and prints the tables. Arguments: the directory with the counts, and optionally a text that the
//! groups to be timed contain.

use std::collections::HashMap;
use std::iter;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use resil_peers::counts::{self, Counts};
use resil_peers::rows::{self, BARE};
use resil_peers::{Answer, Bench, Row, Subject, run_on_two_threads};

/// Samples of each row.
const ROUNDS: usize = 30;
/// Rounds after which every row is made anew, elsewhere in memory: some rows depend on where they lie.
const ROUNDS_IN_PLACE: usize = 5;
const SAMPLE: Duration = Duration::from_millis(2);

/// How long `n` calls take.
type Run<'b> = &'b dyn Fn(&Row, &Arc<dyn Subject>, u64) -> Duration;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let dir = PathBuf::from(arguments.next().expect("the directory with the counts"));
    let only = arguments.next().unwrap_or_default();
    let counts = counts::load(&dir).expect("the counts that run.sh has made");
    let rows = rows::all();
    let (bare, rest): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.group == BARE);
    print_bare(bare[0], &counts);
    for group in rest.chunk_by(|one, next| one.group == next.group) {
        if group[0].group.contains(&only) {
            print_group(bare[0], group, &counts);
        }
    }
}

/// Nanoseconds per call over the bare call, for each row: the sample below which this share of them lies.
fn time(bare: &Row, group: &[&Row], answer: Answer, share: f64, run: Run<'_>) -> Vec<f64> {
    let bench = Bench::default();
    let rows: Vec<&Row> = iter::once(bare).chain(group.iter().copied()).collect();
    let mut samples = vec![Vec::with_capacity(ROUNDS); rows.len()];
    let (mut subjects, mut calls, mut displaced) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        if round % ROUNDS_IN_PLACE == 0 {
            displaced.push(vec![0_u8; 200 + 72 * round]);
            subjects = rows
                .iter()
                .map(|row| bench.prepare(row, &bench.parts(answer)))
                .collect();
            calls = iter::zip(&rows, &subjects)
                .map(|(row, subject)| calls_of(row, subject, run))
                .collect();
        }
        for index in 0..rows.len() {
            let index = (index + round) % rows.len();
            let took = run(rows[index], &subjects[index], calls[index]);
            samples[index].push(took.as_nanos() as f64 / calls[index] as f64);
        }
    }
    let mut typical = samples.into_iter().map(|row| quantile(row, share));
    let bare = typical.next().unwrap_or_default();
    typical.map(|row| row - bare).collect()
}

/// As many calls as fill a sample.
fn calls_of(row: &Row, subject: &Arc<dyn Subject>, run: Run<'_>) -> u64 {
    const TRIAL: u64 = 500;
    let took = run(row, subject, TRIAL).as_nanos().max(1) as f64;
    (SAMPLE.as_nanos() as f64 / took * TRIAL as f64) as u64
}

/// The sample below which this share of them lies.
fn quantile(mut samples: Vec<f64>, share: f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[(samples.len() as f64 * share) as usize]
}

fn print_bare(bare: &Row, counts: &HashMap<String, Counts>) {
    println!("The bare call, which is subtracted from all others:\n");
    println!("| answer | instr | locked | allocs | future B |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for &answer in bare.answers() {
        let row = counts[&bare.key(answer)];
        let (instructions, locked) = (row.instructions, row.locked);
        println!(
            "| {answer:?} | {instructions:.0} | {locked:.0} | {} | {} |",
            row.allocations, row.future
        );
    }
}

fn print_group(bare: &Row, group: &[&Row], counts: &HashMap<String, Counts>) {
    let bench = Bench::default();
    let alone: Run<'_> = &|row, subject, n| bench.run(row, subject, n);
    // Not the median: other work on the machine only adds to what one thread takes. Two threads that are kept from
    // running at once are too fast, though.
    let ready = time(bare, group, Answer::Ready, 0.25, alone);
    let pending = (!group[0].open).then(|| time(bare, group, Answer::Pending, 0.25, alone));
    let two_threads = time(bare, group, Answer::Ready, 0.5, &run_on_two_threads);

    println!("\n### {}\n", group[0].group);
    println!(
        "| row | ready ns | pending ns | two threads ns | instr | locked | clock | allocs | state B | future B |"
    );
    println!("| --- |{}", " ---: |".repeat(9));
    for (index, row) in group.iter().enumerate() {
        let shown = |times: &Vec<f64>| nanoseconds(times, index);
        let pending = pending.as_ref().map_or("-".to_owned(), shown);
        let (ready, two_threads, counted) = (shown(&ready), shown(&two_threads), counted(bare, row, counts));
        println!(
            "| {} | {ready} | {pending} | {two_threads} | {counted} |",
            row.name
        );
    }
}

/// The time of one row, and its ratio to that of the first one.
fn nanoseconds(times: &[f64], index: usize) -> String {
    let (time, first) = (times[index], times[0]);
    // Below a nanosecond the layout of the loop decides.
    if first < 1.0 {
        format!("{time:.1}")
    } else {
        format!("{time:.1} (×{:.2})", time / first)
    }
}

/// What was counted of a row over the bare call, ready and pending.
fn counted(bare: &Row, row: &Row, counts: &HashMap<String, Counts>) -> String {
    let both = |of: fn(&Counts) -> f64| {
        let over = |answer| of(&counts[&row.key(answer)]) - of(&counts[&bare.key(answer)]);
        // Adding zero makes a zero of what rounding leaves as `-0`.
        let one = |&answer: &Answer| (over(answer).round() + 0.0).to_string();
        row.answers().iter().map(one).collect::<Vec<_>>().join(" / ")
    };
    let ready = counts[&row.key(Answer::Ready)];
    [
        both(|row| row.instructions),
        both(|row| row.locked),
        both(|row| row.clock_reads),
        both(|row| row.allocations),
        ready.state.to_string(),
        ready.future.to_string(),
    ]
    .join(" | ")
}
