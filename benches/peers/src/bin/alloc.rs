//! One line a row, separated by tabs: key, allocations per call, bytes of the state, bytes of the future of one call.

use std::alloc::System;
use std::sync::Arc;

use resil_peers::{Bench, rows};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const CALLS: u64 = 2000;

fn main() {
    for row in rows::all() {
        for &answer in row.answers() {
            let bench = Bench::default();
            let parts = bench.parts(answer);
            // What is made once per process or thread is no row's state.
            drop(bench.prepare(&row, &parts));

            let region = Region::new(ALLOCATOR);
            let subject = bench.prepare(&row, &parts);
            let grown = region.change();
            let (size, future) = subject.sizes();
            // The `Arc` around the row is the harness's: its counters and the value itself.
            let heap = grown.bytes_allocated - grown.bytes_deallocated - size - size_of::<[usize; 2]>();
            assert_eq!(Arc::strong_count(&subject), 1, "a task still holds the row");

            // The task allocates too, but only once.
            let count = |calls| {
                let region = Region::new(ALLOCATOR);
                bench.run(&row, &subject, calls);
                let change = region.change();
                change.allocations + change.reallocations
            };
            let allocations = (count(2 * CALLS) as f64 - count(CALLS) as f64) / CALLS as f64;
            println!("{}\t{allocations:.2}\t{}\t{future}", row.key(answer), size + heap);
        }
    }
}
