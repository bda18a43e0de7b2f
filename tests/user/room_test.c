// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* When a thread with a full ring stops waiting: ft_room_may_wait(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "libfeathertrace/room.h"

#define WAIT	10000u
#define STEPS	16u
#define STEP	100u
#define SILENCE	(STEPS * STEP)

static struct ft_session session;

/* What a thread has seen of the recorder stays: each test begins with a new count. */
static int begin(void **state)
{
	(void)state;
	session.wait = WAIT;
	session.silence = SILENCE;
	session.closed = 0;
	session.beat++;
	return 0;
}

static void recorder_that_beats_is_waited_for(void **state)
{
	(void)state;
	for (uint64_t now = 0; now < WAIT; now += SILENCE - 1) {
		assert_true(ft_room_may_wait(&session, 0, now));
		session.beat++;
	}
}

static void wait_has_an_end(void **state)
{
	(void)state;
	assert_true(ft_room_may_wait(&session, 5000, 5000 + WAIT - 1));
	assert_false(ft_room_may_wait(&session, 5000, 5000 + WAIT));
}

static void closed_session_is_not_waited_for(void **state)
{
	(void)state;
	assert_true(ft_room_may_wait(&session, 0, 0));
	session.closed = 1;
	assert_false(ft_room_may_wait(&session, 0, 1));
}

/* Looks at each step of a silence that begins now. Return: when it would be one. */
static uint64_t look_on(uint64_t now)
{
	assert_true(ft_room_may_wait(&session, now, now));
	for (unsigned int i = 1; i < STEPS; i++)
		assert_true(ft_room_may_wait(&session, now, now + i * STEP));
	return now + SILENCE;
}

static void silence_ends_a_wait(void **state)
{
	uint64_t end = look_on(200);

	(void)state;
	assert_true(ft_room_may_wait(&session, 200, end - 1));
	assert_false(ft_room_may_wait(&session, 200, end));
}

static void silence_is_remembered_until_the_next_beat(void **state)
{
	(void)state;
	assert_false(ft_room_may_wait(&session, 200, look_on(200)));
	/* another wait, which has only begun */
	assert_false(ft_room_may_wait(&session, 3000, 3000));
	session.beat++;
	assert_true(ft_room_may_wait(&session, 3000, 3000));
}

static void silence_begins_again_with_a_beat(void **state)
{
	(void)state;
	look_on(200);
	session.beat++;
	assert_false(ft_room_may_wait(&session, 200, look_on(200 + SILENCE)));
}

/* The recorder may have stood still, too. */
static void long_stop_is_no_silence(void **state)
{
	(void)state;
	assert_true(ft_room_may_wait(&session, 0, 0));
	assert_true(ft_room_may_wait(&session, 0, 5 * SILENCE));
	assert_true(ft_room_may_wait(&session, 0, 5 * SILENCE + STEP - 1));
}

/* A handler of a signal came after the clock was read, and saw the new count later. */
static void clock_read_before_the_count_was_seen_is_no_silence(void **state)
{
	(void)state;
	look_on(500);
	for (uint64_t i = 0; i < 2 * STEPS; i++)
		assert_true(ft_room_may_wait(&session, 0, 500 + i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(recorder_that_beats_is_waited_for, begin),
		cmocka_unit_test_setup(wait_has_an_end, begin),
		cmocka_unit_test_setup(closed_session_is_not_waited_for, begin),
		cmocka_unit_test_setup(silence_ends_a_wait, begin),
		cmocka_unit_test_setup(silence_is_remembered_until_the_next_beat, begin),
		cmocka_unit_test_setup(silence_begins_again_with_a_beat, begin),
		cmocka_unit_test_setup(long_stop_is_no_silence, begin),
		cmocka_unit_test_setup(clock_read_before_the_count_was_seen_is_no_silence, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
