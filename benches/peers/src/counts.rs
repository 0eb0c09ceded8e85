//! What `alloc` and callgrind counted, read from their files.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

/// Per call, of one row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub allocations: f64,
    /// The value and its heap.
    pub state: f64,
    pub future: f64,
    pub instructions: f64,
    /// Instructions that lock the bus.
    pub locked: f64,
    pub clock_reads: f64,
}

/// Calls of each row that callgrind counts.
pub const CALLS: u64 = 2000;

/// Reads `alloc.tsv`, `instr.tsv` and callgrind's dumps, which are in the order of `instr.tsv`.
pub fn load(dir: &Path) -> io::Result<HashMap<String, Counts>> {
    let mut counts: HashMap<String, Counts> = HashMap::new();
    for line in fs::read_to_string(dir.join("alloc.tsv"))?.lines() {
        let mut cells = line.split('\t');
        let row = counts
            .entry(cells.next().unwrap_or_default().to_owned())
            .or_default();
        let mut number = || {
            cells
                .next()
                .and_then(|cell| cell.parse().ok())
                .unwrap_or(f64::NAN)
        };
        (row.allocations, row.state, row.future) = (number(), number(), number());
    }
    for (index, key) in fs::read_to_string(dir.join("instr.tsv"))?.lines().enumerate() {
        let dump = fs::read(dir.join(format!("callgrind.out.{}", index + 1)))?;
        let [instructions, locked, clock_reads] = read_dump(&String::from_utf8_lossy(&dump));
        let row = counts.entry(key.to_owned()).or_default();
        (row.instructions, row.locked, row.clock_reads) = (instructions, locked, clock_reads);
    }
    Ok(counts)
}

/// Instructions, locked instructions and clock reads of one call.
fn read_dump(text: &str) -> [f64; 3] {
    let (mut instructions, mut locked, mut clock_reads) = (0, 0, 0);
    let mut names = HashMap::new();
    let mut calls_clock = false;
    for line in text.lines() {
        if let Some(sums) = line
            .strip_prefix("totals: ")
            .or_else(|| line.strip_prefix("summary: "))
        {
            let mut sums = sums.split(' ').map(|sum| sum.parse().unwrap_or(0));
            (instructions, locked) = (sums.next().unwrap_or(0), sums.next().unwrap_or(0));
        } else if let Some(function) = line.strip_prefix("fn=") {
            name(function, &mut names);
        } else if let Some(function) = line.strip_prefix("cfn=") {
            calls_clock = name(function, &mut names).starts_with("clock_gettime");
        } else if let Some(calls) = line.strip_prefix("calls=").filter(|_| calls_clock) {
            clock_reads += calls
                .split(' ')
                .next()
                .and_then(|n| n.parse::<u64>().ok())
                .unwrap_or(0);
        }
    }
    [instructions, locked, clock_reads].map(|sum| sum as f64 / CALLS as f64)
}

/// Callgrind writes `(number) name` for the first mention of a function, then `(number)`.
fn name<'t>(function: &'t str, names: &mut HashMap<&'t str, &'t str>) -> &'t str {
    match function.split_once(' ') {
        Some((number, name)) => names.insert(number, name).map_or(name, |_| name),
        None => names.get(function).copied().unwrap_or_default(),
    }
}
