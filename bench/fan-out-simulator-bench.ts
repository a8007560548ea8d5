// What each policy of the fan-out is good for: one kind of question after the other is asked by 1, 8 and
// 32 clients of one root, with all policies and with each of them left out. Virtual time by a seed: the
// same on every machine. See bench/fan-out for what is simulated, docs/adr/0009-fan-out.md for what
// followed from it.

import { parseArgs } from 'node:util';
import { questionShapes } from './fan-out/question-shapes.ts';
import { type PolicyName, policyNames, simulate } from './fan-out/simulation.ts';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '1,8,32' },
    shapes: { type: 'string', default: questionShapes.map(({ name }) => name).join(',') },
    questions: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
  },
});
const shapes = questionShapes.filter(({ name }) => values.shapes.split(',').includes(name));
const columns = ['p50 ms', 'p99 ms', '$ per 1000', 'invocations', 'extra', 'refused'] as const;

for (const clients of values.clients.split(',').map(Number)) {
  print(`${clients} client${clients === 1 ? '' : 's'}`, columns);
  for (const shape of shapes) {
    for (const without of [undefined, ...policyNames]) {
      const result = await simulate({
        shape,
        clients,
        warmUp: 4 * clients,
        questions: Number(values.questions),
        seed: Number(values.seed),
        ...(without === undefined ? {} : { without }),
      });
      print(nameOf(shape.name, without), [
        result.p50Ms.toFixed(0),
        result.p99Ms.toFixed(0),
        result.dollarsPerThousand.toFixed(4),
        result.invocations.toFixed(1),
        `${(100 * result.hedgedShare).toFixed(1)} %`,
        result.refused.toFixed(1),
      ]);
    }
  }
  process.stdout.write('\n');
}

function nameOf(shape: string, without: PolicyName | undefined): string {
  return without === undefined ? shape : `  without ${without}`;
}

function print(name: string, cells: readonly string[]): void {
  const line = cells.map((cell) => cell.padStart(11)).join(' ');
  process.stdout.write(`${name.padEnd(20)} ${line}\n`);
}
