# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# How userspace/ is compiled: for the product (userspace/Makefile) and for tests, which
# include this and link the same archives.
#
# Before: TOP, the tree; O, where to build. May be set: CC, CFLAGS, CPPFLAGS, LDFLAGS,
# VERSION, LIBDIR, LIBEXECDIR, and
#
#   OBJ                     where objects and archives are, to share them; default: O/obj.
#                           With another one, take another O, too
#   SAN=address,undefined   sanitizers for the tool
#   LIB_SAN=-fsanitize=...  flags for the libraries, which run in any process
#
# After: $(ARCHIVES), one a folder of the tool, in the order in which to link them;
# $(FT_LIBS) for behind them; FT_CPPFLAGS and FT_CFLAGS for a file that uses them;
# $(LIB_ARCHIVE) and LIB_CPPFLAGS for one that has the library for programs in it;
# $(Q), $(say).

USERSPACE := $(TOP)/userspace
OBJ ?= $(O)/obj

PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g
SAN ?=
VERSION ?= $(shell sed -n 's/.*FEATHER_TRACE_VERSION\t"\(.*\)"/\1/p' \
		     $(TOP)/include/feather_trace/version.h)
LIBDIR ?= /usr/local/lib
LIBEXECDIR ?= /usr/local/libexec/feather-trace

# Libraries that pkg-config knows, and others.
FT_PKGS := libkmod libdw libelf libbpf libzstd
# Of ft sql: who has no need of it is not linked with it.
SQL_PKGS := sqlite3
TOP_PKGS := ncursesw
MONITOR_PKGS := libmicrohttpd
# Of ft send and ft receive.
TLS_PKGS := gnutls

ifeq ($(filter clean,$(MAKECMDGOALS)),)
ifneq ($(shell $(PKG_CONFIG) --exists $(FT_PKGS) $(SQL_PKGS) $(TOP_PKGS) $(MONITOR_PKGS) $(TLS_PKGS) && echo yes),yes)
$(error not found by $(PKG_CONFIG): one of $(FT_PKGS) $(SQL_PKGS) $(TOP_PKGS) $(MONITOR_PKGS) $(TLS_PKGS); on Debian: apt install libkmod-dev libdw-dev libelf-dev libbpf-dev libzstd-dev libsqlite3-dev libncurses-dev libmicrohttpd-dev libgnutls28-dev)
endif
ifneq ($(shell printf '\043include <libiberty/demangle.h>\n' | \
		$(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 && echo yes),yes)
$(error not found by $(CC): libiberty/demangle.h; on Debian: apt install libiberty-dev)
endif
FT_PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(FT_PKGS) $(SQL_PKGS))
FT_LIBS := $(shell $(PKG_CONFIG) --libs $(FT_PKGS)) -liberty -pthread -lm \
	-Wl,--push-state,--as-needed $(shell $(PKG_CONFIG) --libs $(SQL_PKGS)) -Wl,--pop-state
TOP_LIBS := $(shell $(PKG_CONFIG) --libs $(TOP_PKGS))
MONITOR_LIBS := $(shell $(PKG_CONFIG) --libs $(MONITOR_PKGS))
TLS_LIBS := $(shell $(PKG_CONFIG) --libs $(TLS_PKGS))
endif

# Ours come first: <linux/feather_trace.h> must be this tree's.
LIB_CPPFLAGS := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D__SANE_USERSPACE_TYPES__ \
	-I$(TOP)/include/uapi -I$(TOP)/include -iquote $(USERSPACE)
FT_CPPFLAGS := $(LIB_CPPFLAGS) -DFT_VERSION='"$(VERSION)"' -DFT_LIBDIR='"$(LIBDIR)"' \
	-DFT_LIBEXECDIR='"$(LIBEXECDIR)"' 	$(FT_PKG_CFLAGS)
WARNINGS := -std=gnu11 -Wall -Wextra -Werror -Wmissing-prototypes \
	-Wstrict-prototypes -Wvla -pthread
SAN_FLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
FT_CFLAGS := $(WARNINGS) $(SAN_FLAGS)
# The libraries: in any process, so nothing that is not asked for. A model of TLS that
# needs no function of the loader's.
LIB_CFLAGS := $(WARNINGS) -fPIC -fvisibility=default \
	-fno-semantic-interposition -ftls-model=initial-exec $(LIB_SAN)

include $(USERSPACE)/say.mk

# No half of a file that a compiler has left which was killed.
.DELETE_ON_ERROR:

# The folders, from the bottom to the top.
FOLDERS := $(shell sed -n 's/^\([a-z]*\):.*/\1/p' $(USERSPACE)/layers.txt)
TOOL_FOLDERS := $(filter-out libfeathertrace preload allocator,$(FOLDERS))
reverse = $(if $(1),$(call reverse,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
# libfttrace.so is made of these: code that may lie anywhere, no symbols for others.
READER_FOLDERS := libfttrace $(call reverse,$(shell sed -n 's/[()]//g; s/^libfttrace: *//p' $(USERSPACE)/layers.txt))
READER_CFLAGS := -fPIC -fvisibility=hidden
ARCHIVES := $(patsubst %,$(OBJ)/%.a,$(call reverse,$(TOOL_FOLDERS)))
LIB_ARCHIVE := $(O)/libfeathertrace.a

# objects_of FOLDER
objects_of = $(patsubst $(USERSPACE)/%.c,$(OBJ)/%.o,$(sort \
	$(wildcard $(addprefix $(USERSPACE)/$(1)/,*.c */*.c))))
ALL_OBJECTS := $(foreach folder,$(FOLDERS),$(call objects_of,$(folder)))

# Rebuilds when the flags change, as with another SAN or CC.
FLAGS := $(CC) $(FT_CPPFLAGS) $(LIB_CFLAGS) $(READER_CFLAGS) $(FT_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)
.PHONY: FORCE
$(OBJ)/.flags: FORCE
	@mkdir -p $(O) $(sort $(@D) $(dir $(ALL_OBJECTS)))
	@printf '%s\n' '$(subst ','\'',$(FLAGS))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(FLAGS))' > $@

$(READER_FOLDERS:%=$(OBJ)/%/%.o): FT_CFLAGS += $(READER_CFLAGS)
$(OBJ)/%.o: $(USERSPACE)/%.c $(OBJ)/.flags
	$(say) CC $*.o
	$(Q)$(CC) $(FT_CPPFLAGS) $(CPPFLAGS) $(FT_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(OBJ)/libfeathertrace/%.o: $(USERSPACE)/libfeathertrace/%.c $(OBJ)/.flags
	$(say) CC libfeathertrace/$*.o
	$(Q)$(CC) $(LIB_CPPFLAGS) $(CPPFLAGS) $(LIB_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(OBJ)/preload/%.o: $(USERSPACE)/preload/%.c $(OBJ)/.flags
	$(say) CC preload/$*.o
	$(Q)$(CC) $(LIB_CPPFLAGS) $(CPPFLAGS) $(LIB_CFLAGS) -fvisibility=hidden -fexceptions $(CFLAGS) -MMD -MP -c -o $@ $<

# It defines malloc(): the compiler must not know what that does.
$(OBJ)/allocator/%.o: $(USERSPACE)/allocator/%.c $(OBJ)/.flags
	$(say) CC allocator/$*.o
	$(Q)$(CC) $(LIB_CPPFLAGS) $(CPPFLAGS) $(LIB_CFLAGS) -fvisibility=hidden -fno-builtin $(CFLAGS) -MMD -MP -c -o $@ $<

$(foreach folder,$(TOOL_FOLDERS),$(eval $(OBJ)/$(folder).a: $(call objects_of,$(folder))))
$(OBJ)/%.a:
	$(say) AR $(@F)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(LIB_ARCHIVE): $(call objects_of,libfeathertrace)
	$(say) AR $(@F)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Commands that are scripts: ft finds them beside itself.
$(O)/scripts:
	@mkdir -p $(@D)
	$(Q)ln -sfn $(USERSPACE)/scripts $@

-include $(ALL_OBJECTS:.o=.d)
