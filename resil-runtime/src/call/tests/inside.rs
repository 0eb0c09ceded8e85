use super::*;
use crate::policy::{
    deadline::Deadline,
    retry::{Jitter, Retry},
    timeout::Timeout,
};
use crate::{Attempt, CallId, Token, header, with_deadline};

fn twice() -> Policies {
    Policies::new()
        .retry(Retry::attempts(2).jitter(Jitter::None))
        .timeout(Timeout::new(ms(100)))
}

/// What an attempt was told.
#[derive(Clone, Debug)]
struct Seen {
    number: u32,
    id: CallId,
    token: Token,
    deadline: Option<Instant>,
}

fn look() -> Option<Seen> {
    Attempt::current().map(|attempt| Seen {
        number: attempt.number(),
        id: attempt.call_id(),
        token: attempt.token(),
        deadline: attempt.deadline(),
    })
}

async fn call<F: Future<Output = Answer>>(method: &MethodState, make: impl Fn() -> F) -> Answer {
    let mut call = Call::new(method);
    loop {
        if let Some(answer) = call.attempt::<Own, _, _>(|_last| make()).await {
            return answer;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn attempts_have_numbers_and_one_identity() {
    let method = method(&twice());
    let seen = RefCell::new(Vec::new());
    let once = || async {
        seen.borrow_mut().push(look().expect("inside an attempt"));
        sleep(ms(10)).await;
        seen.borrow_mut().push(look().expect("inside an attempt"));
        Err(Error::Down)
    };
    assert_eq!(call(&method, once).await, Err(Error::Down));
    assert!(Attempt::current().is_none());
    let numbers: Vec<u32> = seen.borrow().iter().map(|seen| seen.number).collect();
    assert_eq!(numbers, [1, 1, 2, 2]);
    assert!(seen.borrow().iter().all(|other| other.id == seen.borrow()[0].id));
    // They answered, so nothing was abandoned.
    assert!(!seen.borrow().iter().any(|seen| seen.token.is_cancelled()));
    assert_eq!(call(&method, once).await, Err(Error::Down));
    assert_ne!(seen.borrow()[0].id, seen.borrow()[4].id);
}

#[tokio::test(start_paused = true)]
async fn whoever_asks_only_in_the_second_attempt_is_told_its_number() {
    let method = method(&twice());
    let begun = Cell::new(0);
    let answer = call(&method, || {
        begun.set(begun.get() + 1);
        let number = (begun.get() == 2).then(|| look().map(|seen| seen.number));
        async move { number.flatten().ok_or(Error::Down) }
    });
    assert_eq!(answer.await, Ok(2));
}

#[tokio::test(start_paused = true)]
async fn the_token_fires_when_a_timeout_or_the_caller_abandons_the_attempt() {
    let method = method(&twice());
    let tokens = RefCell::new(Vec::new());
    let hang = || async {
        tokens.borrow_mut().extend(look().map(|seen| seen.token));
        std::future::pending::<Answer>().await
    };
    assert_eq!(kind(&call(&method, hang).await), Some(PolicyErrorKind::TimedOut));
    assert_eq!(tokens.borrow().len(), 2);
    assert!(tokens.borrow().iter().all(Token::is_cancelled));
    let first = tokens.borrow()[0].clone();
    first.cancelled().await;

    let dropped = tokio::time::timeout(ms(10), call(&method, hang)).await;
    assert!(dropped.is_err());
    assert!(tokens.borrow()[2].is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn the_token_does_not_fire_after_an_answer() {
    let method = method(&twice());
    let token = RefCell::new(None);
    let answer = call(&method, || async {
        *token.borrow_mut() = look().map(|seen| seen.token);
        Ok(1)
    });
    assert_eq!(answer.await, Ok(1));
    let token = token.take().expect("inside an attempt");
    assert!(!token.is_cancelled());
    assert!(tokio::time::timeout(ms(1000), token.cancelled()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_nested_attempt_hides_the_outer_one_while_it_runs() {
    let (outer, inner) = (method(&twice()), method(&twice()));
    let answer = call(&outer, || async {
        let mine = look().expect("the outer attempt");
        let inside = call(&inner, || async {
            sleep(ms(1)).await;
            let seen = look().expect("the inner attempt");
            assert_ne!(seen.id, mine.id);
            Ok(seen.number)
        });
        assert_eq!(inside.await, Ok(1));
        let again = look().expect("the outer attempt");
        assert_eq!(again.id, mine.id);
        Ok(2)
    });
    assert_eq!(answer.await, Ok(2));
}

#[tokio::test(start_paused = true)]
async fn a_panic_leaves_the_thread_as_it_was() {
    use futures_like::catch;
    let method = method(&twice());
    let outer = super::method(&Policies::new().deadline(Deadline::new(ms(500))));
    let answer = call(&outer, || async {
        let before = look().expect("the outer attempt");
        let panicked = catch(call(&method, || async {
            assert!(look().is_some());
            panic!("in the adapter")
        }))
        .await;
        assert!(panicked);
        assert_eq!(look().expect("the outer attempt").id, before.id);
        Ok(1)
    });
    assert_eq!(answer.await, Ok(1));
    assert!(Attempt::current().is_none());
}

/// Panics as values.
mod futures_like {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::pin::pin;
    use std::task::Poll;

    pub(super) async fn catch<F: Future>(future: F) -> bool {
        let mut future = pin!(future);
        std::future::poll_fn(
            |cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
                Ok(polled) => polled.map(|_| false),
                Err(_) => Poll::Ready(true),
            },
        )
        .await
    }
}

#[tokio::test(start_paused = true)]
async fn a_spawned_task_inherits_by_propagate_only() {
    let method = method(&Policies::new().deadline(Deadline::new(ms(300))));
    let answer = call(&method, || async {
        let mine = look().expect("inside an attempt");
        let bare = tokio::spawn(async { look().is_none() && header::deadline().is_none() });
        assert!(bare.await.expect("no panic"));
        let passed = tokio::spawn(Attempt::propagate(async {
            sleep(ms(20)).await;
            (look().expect("passed on"), header::deadline())
        }));
        let (seen, left) = passed.await.expect("no panic");
        assert_eq!((seen.id, seen.number, seen.deadline), (mine.id, 1, mine.deadline));
        assert_eq!(left.as_deref(), Some("280"));
        Ok(1)
    });
    assert_eq!(answer.await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_inside_an_attempt_keeps_the_attempt() {
    let method = method(&twice());
    let answer = call(&method, || async {
        let inside = with_deadline(ms(50), async { look() })
            .await
            .expect("inside an attempt");
        let outside = look().expect("inside an attempt");
        assert_eq!((inside.id, inside.number), (outside.id, outside.number));
        Ok(inside.number)
    });
    assert_eq!(answer.await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn what_was_retried_in_another_process_is_not_retried_here() {
    let (here, there) = (method(&twice()), method(&twice()));
    let served = Cell::new(0);
    let answer = call(&here, || async {
        // The server: its own dependency fails, and it has retried.
        let (answer, spent) = header::tracked(call(&there, || async {
            served.set(served.get() + 1);
            Err(Error::Down)
        }))
        .await;
        let said = header::retried(spent);
        assert_eq!(said, Some("1"));
        // The client, back in the adapter.
        header::accept_retried(said.unwrap_or_default());
        answer
    });
    assert_eq!(answer.await, Err(Error::Down));
    assert_eq!(served.get(), 2);
}

#[test]
fn a_server_understands_every_value_that_a_client_may_send() {
    let cases = [
        ("0", Some(0)),
        (" 1500 ", Some(1500)),
        ("99999999999999999999999999", Some(315_360_000_000)),
        ("315360000001", Some(315_360_000_000)),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("+5", None),
        ("5s", None),
    ];
    for (value, expected) in cases {
        assert_eq!(header::parse_deadline(value), expected.map(ms), "{value:?}");
    }
}
