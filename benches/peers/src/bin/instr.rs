//! Makes the calls that callgrind counts, and prints the keys of the rows in their order. `run.sh` has the options with
//! which callgrind counts inside `count_row` only and writes a dump at each end of `print_row`.

use std::sync::Arc;

use resil_peers::counts::CALLS;
use resil_peers::{Bench, Row, Subject, rows};

#[inline(never)]
fn count_row(bench: &Bench, row: &Row, subject: &Arc<dyn Subject>) {
    bench.run(row, subject, CALLS);
}

#[inline(never)]
fn print_row(key: &str) {
    println!("{key}");
}

fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    for row in rows::all() {
        for &answer in row.answers() {
            if row.key(answer).contains(&only) {
                let bench = Bench::default();
                let subject = bench.prepare(&row, &bench.parts(answer));
                count_row(&bench, &row, &subject);
                print_row(&row.key(answer));
            }
        }
    }
}
