// Every byte that a question reads of small objects, 300 of those that it reads of large ones. The
// suite and its terms are those of test/engine/damage.test.ts.

import { describeDamage } from '../engine/damage-suite.ts';

describeDamage({ smallBytesMax: 8_000, samples: 300 });
