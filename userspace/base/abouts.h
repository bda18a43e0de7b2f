/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What ft --help says about the commands that are programs of their own. Their --help says the
 * same.
 */
#ifndef FT_BASE_ABOUTS_H
#define FT_BASE_ABOUTS_H

#define ABOUT_TOP	"Shows live which locks are held and waited for"
#define ABOUT_MONITOR	"Serves all sensors to monitoring systems"
#define ABOUT_NPT	"Measures what keeps a real-time task from running"
#define ABOUT_SEND	"Sends a rotated recording to 'ft receive'"
#define ABOUT_RECEIVE	"Receives traces that other machines send"

#endif /* FT_BASE_ABOUTS_H */
