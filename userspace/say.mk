# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What a build shows: a line for each file, `$(say) CC $(@F)`, in place of the command
# behind `$(Q)`; with V=1 the commands.

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-7s %s\n'
endif
