/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Student's and Fisher's distributions, by the incomplete beta function. */
#ifndef FT_ANALYSIS_BETA_H
#define FT_ANALYSIS_BETA_H

/** beta_student - two-sided probability of |T| >= @t with @df degrees of freedom */
double beta_student(double t, double df);

/** beta_fisher - probability of F >= @f with @above and @below degrees of freedom */
double beta_fisher(double f, double above, double below);

#endif /* FT_ANALYSIS_BETA_H */
