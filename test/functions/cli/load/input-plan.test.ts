import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../functions/cli/exit-codes.ts';
import { type InputWishes, planInput } from '../../../../functions/cli/load/input-plan.ts';

const columns = [
  { name: 'day', type: 'Date' },
  { name: 'uid', type: 'UInt64' },
];
const bitmaps = [
  { name: 'tag', type: 'LowCardinality(String)' },
  { name: 'users', type: 'AggregateFunction(groupBitmap, UInt64)' },
];

function plan(sample: string, wishes: InputWishes = {}, name = 'f', table = columns) {
  return planInput({ name, sample, whole: true }, table, wishes);
}

describe('format', () => {
  it('is what was wished, what the name says, or what the content looks like', () => {
    expect(plan('x', { format: 'RowBinary' }).format).toBe('RowBinary');
    expect(plan('1\t2\n', {}, 'a.csv').format).toBe('CSV');
    expect(plan('2026-01-01\t2\n').format).toBe('TabSeparated');
    expect(plan('{"day":1}').format).toBe('JSONEachRow');
    expect(plan('2026-01-01,2\n').format).toBe('CSV');
    expect(plan('', {}, 'a.TSV').format).toBe('TabSeparated');
    expect(plan('day,uid\n', { format: 'CSVWithNames' }).format).toBe('CSVWithNames');
  });

  it('takes the delimiter from the first line', () => {
    const { settings, notes } = plan('2026-01-01;2\n');
    expect(settings.get('format_csv_delimiter')).toBe(';');
    expect(notes[0]).toMatch(/';' between fields/);
    expect(plan('2026-01-01,2\n').settings.has('format_csv_delimiter')).toBe(false);
  });
});

describe('header', () => {
  it('is written again with the names of the table', () => {
    expect(plan('\ufeffDay,UID\n2026-01-01,2\n')).toMatchObject({
      format: 'CSVWithNames',
      prefix: '"day","uid"\n',
      replaced: 9,
    });
    expect(plan('date,user\n2026-01-01,2\n')).toMatchObject({ prefix: '"day","uid"\n' });
  });

  it('may have columns that the table has not, and miss some', () => {
    const { prefix, notes } = plan('uid,age\n1,2\n', { header: 'yes' });
    expect(prefix).toBe('"uid","age"\n');
    expect(notes.join()).toMatch(/left out.*: age,not in the file.*: day/);
  });

  it('is refused when nothing of it fits', () => {
    const refused = () => plan('a,b,c\n1,2,3\n', { header: 'yes' });
    expect(refused).toThrow(UsageError);
    expect(refused).toThrow(/\(a, b, c\).*\(day, uid\).*--select/);
  });

  it('is what --header says', () => {
    expect(plan('day,uid\n', { header: 'no' })).toMatchObject({ format: 'CSV', prefix: '' });
    expect(plan('2026-01-01,2\n3,4\n', { header: 'yes' }).format).toBe('CSVWithNames');
  });
});

describe('select', () => {
  it('reads columns of the header with types of the table or of the values', () => {
    const sample = 'day,tag,x\n2026-01-01,a,1\n';
    expect(plan(sample, { select: 'day, sum(x) GROUP BY day' })).toMatchObject({
      format: 'CSVWithNames',
      select: "SELECT day, sum(x) FROM input('day Date, tag String, x UInt64') GROUP BY day",
    });
  });

  it('names columns c1, c2 without a header, and never takes a bitmap for its ids', () => {
    expect(plan('a,7\nb,8\n', { select: 'c1, groupBitmapState(c2) GROUP BY c1' })).toMatchObject({
      format: 'CSV',
      select: "SELECT c1, groupBitmapState(c2) FROM input('c1 String, c2 UInt64') GROUP BY c1",
    });
    const wishes = { select: 'tag, groupBitmapState(users) GROUP BY tag' };
    const { select } = plan('tag,users\na,7\n', wishes, 'f', bitmaps);
    expect(select).toContain("input('tag String, users UInt64')");
  });

  it('takes --structure, by name or by position', () => {
    const wishes = { select: 'd', structure: 'd Date, u Int8' };
    expect(plan('D,U\n2026-01-01,2\n', wishes).prefix).toBe('"d","u"\n');
    expect(plan('x,y\n2026-01-01,2\n', { ...wishes, header: 'yes' }).prefix).toBe('"d","u"\n');
    const mixed = () => plan('d,y\n2026-01-01,2\n', { ...wishes, header: 'yes' });
    expect(mixed).toThrow(/--structure names u, but the file's columns are d, y/);
    expect(() => plan('x', { select: 'a', format: 'RowBinary' })).toThrow(/needs --structure/);
  });

  it('reads the keys of JSON', () => {
    const { select } = plan('{"uid":1,"age":2}\n', { select: 'max(age)' });
    expect(select).toBe("SELECT max(age) FROM input('uid UInt64, age UInt64')");
  });
});

it('keys of JSON that the table does not have are said, and refused when all are such', () => {
  expect(plan('{"uid":1,"x":2}\n').notes.join()).toMatch(/left out.*: x,not in the file.*: day/);
  expect(() => plan('{"user":1}\n')).toThrow(/None of the file's columns \(user\)/);
  expect(plan('').notes).toEqual(['empty']);
});

it('bitmap columns are lists, ids or states, as the first field is', () => {
  const input = (sample: string) =>
    plan(sample, {}, 'f', bitmaps).settings.get('aggregate_function_input_format');
  expect(input('tag,users\na,"[1,2]"\n')).toBe('array');
  expect(input('a,5\n')).toBe('value');
  expect(input('users,tag\n7,a\n')).toBe('value');
  expect(input('a,\u0001x\n')).toBeUndefined();
});
