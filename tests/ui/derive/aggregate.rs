//! What is marked is a type; and what is marked is refused where a cache would hold it, at the type.
use resil::__private::{Probe, Unmarked as _, not_cached};

#[resil::aggregate]
fn order() {}

#[resil::aggregate(name = "order")]
struct Order<'a>(&'a str);

#[derive(resil::Aggregate)]
#[aggregate(crat = resil)]
struct Customer;

struct Line;

const _: () = not_cached(Probe::<Line>::MARKED, "a line is none");
const _: () = not_cached(Probe::<Order<'static>>::MARKED, "an order is one\n\nhelp: cache something else");
const _: () = not_cached(Probe::<Customer>::MARKED, "a customer is one");

fn main() {}
