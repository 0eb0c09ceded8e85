//! What is said of an attribute in a layer where it has no business.

use std::str;

use crate::layer;

/// Fails to compile where the module with this path belongs to a forbidden layer, with a message at the caller's.
///
/// # Panics
///
/// There, with that message.
#[track_caller]
pub const fn outside_inner_layers(attribute: &str, module_path: &str, also: Option<&str>) {
    if let Some(segment) = layer::forbidding(module_path, also) {
        let text = Text::new()
            .and("`")
            .and(attribute)
            .and("` does not belong in `")
            .and(module_path)
            .and("`: `")
            .and(segment)
            .and(
                "` is a layer that knows nothing of how calls leave the process\n\n\
                  help: move the impl to a module under `infrastructure` or `adapters`, or record the exception: \
                 `allow(layer, reason = \"…\")`\n\
                  note: the use case calls a port; how long its adapter waits, and how often it tries, is decided where the call \
                 leaves",
            );
        panic!("{}", text.as_str());
    }
}

/// A text that is put together in a constant. What does not fit is left out.
struct Text {
    bytes: [u8; 2048],
    len: usize,
}

impl Text {
    const fn new() -> Self {
        Self {
            bytes: [0; 2048],
            len: 0,
        }
    }

    const fn and(mut self, part: &str) -> Self {
        let part = part.as_bytes();
        if part.len() <= self.bytes.len() - self.len {
            let (_, room) = self.bytes.split_at_mut(self.len);
            let (room, _) = room.split_at_mut(part.len());
            room.copy_from_slice(part);
            self.len += part.len();
        }
        self
    }

    const fn as_str(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            // Whole texts one after the other are a text.
            Err(_) => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    fn said(module_path: &'static str, also: Option<&'static str>) -> Option<String> {
        catch_unwind(|| outside_inner_layers("#[adapter]", module_path, also))
            .err()
            .map(|said| *said.downcast().expect("a panic with arguments holds a `String`"))
    }

    #[test]
    fn the_message_names_the_module_and_the_layer() {
        let text = said("shop::domain::sms", None).expect("it is refused");
        assert!(
            text.starts_with("`#[adapter]` does not belong in `shop::domain::sms`: `domain` is a layer that"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(text.contains("\nhelp: move the impl"), "{text}");
        let text = said("shop::rules::sms", Some("rules")).expect("it is refused");
        assert!(text.contains("`shop::rules::sms`: `rules` is"), "{text}");
    }

    #[test]
    fn nothing_is_said_of_other_places() {
        assert_eq!(said("shop::domain::infrastructure", None), None);
        assert_eq!(said("shop::rules", Some("usecases")), None);
    }

    #[test]
    fn a_path_of_any_length_is_refused() {
        let long: &'static str = Box::leak(format!("shop::{}::domain", "ü".repeat(2000)).into_boxed_str());
        let text = said(long, None).expect("it is refused");
        assert!(
            text.starts_with("`#[adapter]` does not belong in ``: `domain` is"),
            "{text}"
        );
    }
}
