// Some of the bytes that each question reads; test/integration/damage.test.ts takes more.

import { describeDamage } from './damage-suite.ts';

describeDamage({ smallBytesMax: 100, samples: 60 });
