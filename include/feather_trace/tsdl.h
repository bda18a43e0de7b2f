/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The layout of packets and records in CTF's own language (TSDL 1.8), for all that
 * write metadata: string literals, to be printed one after the other in this order
 *
 *	FT_TSDL_TYPES FT_TSDL_TRACE(...) env clock FT_TSDL_STAMP
 *	FT_TSDL_STREAM(...) events ... for each class of streams
 *
 * with FT_TSDL_CLOCK and FT_TSDL_EVENT() for the formats of clock and events. Whoever
 * changes struct ft_record or the packet's header changes this, too.
 *
 * Ids of events are those of a class of streams. CPUs are class 0, and so are the
 * programs of a trace that has nothing else; where a trace has both, programs are
 * class 1.
 */
#ifndef _FEATHER_TRACE_TSDL_H
#define _FEATHER_TRACE_TSDL_H

#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <string.h>
#endif

/* tid is aligned to 16 bits, as in the record; at 32 readers would pad. */
#define FT_TSDL_TYPES							\
	"typealias integer { size = 8;  align = 8;  signed = false; } := uint8_t;\n" \
	"typealias integer { size = 16; align = 16; signed = false; } := uint16_t;\n" \
	"typealias integer { size = 32; align = 32; signed = false; } := uint32_t;\n" \
	"typealias integer { size = 64; align = 64; signed = false; } := uint64_t;\n" \
	"typealias integer { size = 64; align = 64; signed = false; base = 16; } := word_t;\n" \
	"typealias integer { size = 32; align = 16; signed = true; } := tid_t;\n"

/* Of the kernel's events with fields, beside those above. */
#define FT_TSDL_FIELD_TYPES						\
	"typealias integer { size = 16; align = 16; signed = true; } := prio_t;\n" \
	"typealias integer { size = 32; align = 32; signed = true; } := int32_t;\n" \
	"typealias integer { size = 64; align = 64; signed = true; } := int64_t;\n" \
	"typealias integer { size = 64; align = 64; signed = false; base = 16; } := code_t;\n" \
	"typealias enum : uint16_t { \"OTHER\" = 0, \"FIFO\" = 1, \"RR\" = 2, \"BATCH\" = 3, " \
	"\"IDLE\" = 5, \"DEADLINE\" = 6, \"EXT\" = 7 } := policy_t;\n"	\
	"typealias enum : uint16_t { \"R\" = 0, \"S\" = 1, \"D\" = 2, \"T\" = 4, \"t\" = 8, " \
	"\"P\" = 0x40, \"X\" = 0x80, \"I\" = 0x402, \"D\" = 0x1000, \"D\" = 0x8000, " \
	"\"R+\" = 0x100 } := state_t;\n"					\
	"typealias enum : uint32_t { \"HI\" = 0, \"TIMER\" = 1, \"NET_TX\" = 2, " \
	"\"NET_RX\" = 3, \"BLOCK\" = 4, \"IRQ_POLL\" = 5, \"TASKLET\" = 6, \"SCHED\" = 7, " \
	"\"HRTIMER\" = 8, \"RCU\" = 9 } := softirq_t;\n"

/* @uuid: a literal, the conversion that prints it */
#define FT_TSDL_TRACE(uuid)						\
	"\ntrace {\n"							\
	"\tmajor = 1;\n"						\
	"\tminor = 8;\n"						\
	"\tuuid = \"" uuid "\";\n"					\
	"\tbyte_order = le;\n"						\
	"\tpacket.header := struct {\n"					\
	"\t\tuint32_t magic;\n"						\
	"\t\tuint8_t  uuid[16];\n"					\
	"\t\tuint32_t stream_id;\n"					\
	"\t\tuint64_t stream_instance_id;\n"				\
	"\t};\n"							\
	"};\n"

#define FT_TSDL_STAMP							\
	"\ntypealias integer {\n"					\
	"\tsize = 64; align = 64; signed = false;\n"			\
	"\tmap = clock.monotonic.value;\n"				\
	"} := stamp_t;\n"

/*
 * Literals, or conversions that print them: @class, of the streams; @source, the name
 * of the word that says whose a packet is; @gap, that of the byte that counts gaps.
 */
#define FT_TSDL_STREAM(class, source, gap)				\
	"\nstream {\n"							\
	"\tid = " class ";\n"						\
	"\tpacket.context := struct {\n"				\
	"\t\tstamp_t  timestamp_begin;\n"				\
	"\t\tstamp_t  timestamp_end;\n"					\
	"\t\tuint64_t content_size;\n"					\
	"\t\tuint64_t packet_size;\n"					\
	"\t\tuint64_t packet_seq_num;\n"				\
	"\t\tuint64_t events_discarded;\n"				\
	"\t\tuint64_t " source ";\n"					\
	"\t\tuint64_t _clock_hz;\n"					\
	"\t};\n"							\
	"\tevent.header := struct {\n"					\
	"\t\tstamp_t  timestamp;\n"					\
	"\t\tuint16_t id;\n"						\
	"\t};\n"							\
	"\tevent.context := struct {\n"					\
	"\t\tuint8_t  _ctx;\n"						\
	"\t\tuint8_t  " gap ";\n"					\
	"\t\ttid_t    _tid;\n"						\
	"\t};\n"							\
	"};\n"

/* The @source of CPUs, and of programs. */
#define FT_TSDL_CPU	"cpu_id"
#define FT_TSDL_THREAD	"_stream"

/*
 * The clock is named for what it does, not for where it comes from: other traces of
 * the same boot (LTTng's) call theirs so, too, and readers correlate by name.
 *
 * Description (a string, without its quotes), frequency, and the offset in seconds,
 * which is below 0 where the wall clock was never set, and in ticks: as long long.
 */
#define FT_TSDL_CLOCK							\
	"\nclock {\n"							\
	"\tname = \"monotonic\";\n"					\
	"\tdescription = \"%s\";\n"					\
	"\tfreq = %llu;\n"						\
	"\toffset_s = %lld;\n"						\
	"\toffset = %llu;\n"						\
	"};\n"

/*
 * Id, name, and the fields' names, with ft_tsdl_second() after the second. @class: as in
 * FT_TSDL_STREAM().
 */
#define FT_TSDL_EVENT(class)						\
	"\nevent {\n"							\
	"\tid = %u; name = \"%s\"; stream_id = " class ";\n"		\
	"\tfields := struct { word_t _%s; word_t _%s%s; };\n"		\
	"};\n"

/*
 * The same for an event with fields: id and name; type and name of each field; the end. A
 * field that means nothing has no name: FT_TSDL_UNUSED, with its type and number.
 */
#define FT_TSDL_EVENT_FIELDS(class)					\
	"\nevent {\n"							\
	"\tid = %u; name = \"%s\"; stream_id = " class ";\n"		\
	"\tfields := struct {"
#define FT_TSDL_FIELD	" %s _%s;"
#define FT_TSDL_UNUSED	" %s _ft_unused_%u;"
#define FT_TSDL_EVENT_END " };\n};\n"

/*
 * What makes the name of the second field another one than @first: to babeltrace2, which
 * takes one '_' off the first, "_lock" and "lock" are the same. One more '_' makes no
 * difference where there is nothing else.
 */
static inline const char *ft_tsdl_second(const char *first, const char *second)
{
	if (strcmp(first, second) && (*first != '_' || strcmp(first + 1, second)))
		return "";
	return first[strspn(first, "_")] ? "_" : "2";
}

#endif /* _FEATHER_TRACE_TSDL_H */
