// A store that counts its calls and kills its own process (SIGKILL) just before or just after one of them.

const storeCalls = ['read', 'create', 'put', 'writer', 'list', 'remove'];
const writerCalls = ['write', 'finish', 'abort'];

/** `killAt`: from 1, over all calls, those of writers too; undefined: never. */
export function dyingStore(store, { killAt, moment }) {
  let calls = 0;
  const counted = (inner, names) => {
    const outer = { id: inner.id };
    for (const name of names) {
      outer[name] = async (...args) => {
        const mine = ++calls;
        if (mine === killAt && moment === 'before') process.kill(process.pid, 'SIGKILL');
        const result = await inner[name](...args);
        if (mine === killAt && moment === 'after') process.kill(process.pid, 'SIGKILL');
        return name === 'writer' ? counted(result, writerCalls) : result;
      };
    }
    return outer;
  };
  return { store: counted(store, storeCalls), calls: () => calls };
}
