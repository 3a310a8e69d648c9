/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one compiler extension of this program: attributes, behind names of our own. CLEANUP(f)
 * releases a variable when its block ends; DEFINE_CLEANUP makes the function f that it wants out of
 * a `_free`. No thread, no state.
 */
#pragma once

#define MUST_CHECK			__attribute__((warn_unused_result))
#define PRINTF(format_index, first_arg) __attribute__((format(printf, format_index, first_arg)))
#define CLEANUP(function)		__attribute__((cleanup(function)))
#define UNUSED				__attribute__((unused))

/* DEFINE_CLEANUP(struct sample *, sample_free) makes sample_freep, for CLEANUP(sample_freep). */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses here. */
#define DEFINE_CLEANUP(type, function)                                                             \
	static inline UNUSED void function##p(type *pointer)                                       \
	{                                                                                          \
		function(*pointer);                                                                \
	}                                                                                          \
	struct function##_needs_a_semicolon
/* NOLINTEND(bugprone-macro-parentheses) */

/*
 * Takes the pointer out of a variable and leaves NULL, so that its CLEANUP releases nothing: the
 * last step of a function that hands its result to the caller.
 */
#define TAKE(pointer)                                                                              \
	__extension__({                                                                            \
		__auto_type taken_ = (pointer);                                                    \
		(pointer) = NULL;                                                                  \
		taken_;                                                                            \
	})
