// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Student's and Fisher's distributions. See beta.h. */
#include <math.h>

#include "analysis/compare/beta.h"

/*
 * The regularized incomplete beta function by its continued fraction (Abramowitz
 * and Stegun 26.5.8), evaluated from the front (Lentz).
 */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 0, f = 1;
	int i;

	for (i = 0; i < 1000; i++) {
		double m = i / 2, t, step;

		if (!i)
			t = 1;
		else if (i % 2)
			t = -(a + m) * (a + b + m) * x /
			    ((a + 2 * m) * (a + 2 * m + 1));
		else
			t = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 + t * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + t / c;
		if (fabs(c) < tiny)
			c = tiny;
		step = c * d;
		f *= step;
		if (fabs(step - 1) < 1e-12)
			break;
	}
	return f - 1;
}

static double beta_share(double x, double a, double b)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) -
		    lgamma(b));
	/* it converges fast on one side only */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double beta_student(double t, double df)
{
	return beta_share(df / (df + t * t), df / 2, 0.5);
}

double beta_fisher(double f, double above, double below)
{
	return beta_share(below / (below + above * f), below / 2, above / 2);
}
