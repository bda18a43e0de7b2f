/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What a page brings along: its style, and a script. */
#ifndef FT_VIEW_HTML_STYLE_H
#define FT_VIEW_HTML_STYLE_H

extern const char html_style[];
extern const char html_script[];

#endif /* FT_VIEW_HTML_STYLE_H */
