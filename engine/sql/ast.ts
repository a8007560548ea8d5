// Syntax trees. What the parser makes and the binder reads; plain data, every node with the place
// where it begins, so that errors can point at it. No meaning here: names are unresolved.

import type { DataType } from '../../storage-format/data-type.ts';

/** Offset in the statement's text, UTF-16 units. */
type Offset = number;

interface Node {
  readonly at: Offset;
}

/** A literal's value before typing: integers keep their exact digits. */
export type LiteralValue =
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  /** A byte string. */
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'null' };

export type Expression =
  | (Node & { readonly kind: 'literal'; readonly literal: LiteralValue })
  /** `a`, `t.a`, `db.t.a`. */
  | (Node & { readonly kind: 'name'; readonly parts: readonly string[] })
  /** `*`, `t.*`. */
  | (Node & { readonly kind: 'star'; readonly qualifier: readonly string[] })
  /** `{name:Type}`; type text as written ("Identifier" included). */
  | (Node & { readonly kind: 'parameter'; readonly name: string; readonly type: string })
  /**
   * Calls and every operator: `a + b` is plus(a, b), `a[i]` arrayElement, `t.1` tupleElement.
   * Chains of AND, OR and || are one call with all operands. CASE is multiIf or caseWithExpression,
   * BETWEEN two comparisons (the operand is one shared node), EXTRACT toYear and so on.
   */
  | (Node & {
      readonly kind: 'call';
      readonly name: string;
      readonly parameters?: readonly Expression[];
      readonly arguments: readonly Expression[];
      readonly distinct?: true;
      /** Over a window: valid SQL, kept so that the binder can refuse it by name. */
      readonly over?: true;
    })
  | (Node & {
      readonly kind: 'cast';
      readonly value: Expression;
      readonly type: DataType;
      /** The type as written, for the column's name: `Int` stays `Int`. */
      readonly typeText?: string;
      /** `[1,2]::T`: the literal as written, which names the column. */
      readonly literalText?: string;
    })
  | (Node & { readonly kind: 'array'; readonly items: readonly Expression[] })
  | (Node & { readonly kind: 'tuple'; readonly items: readonly Expression[] })
  | (Node & {
      readonly kind: 'lambda';
      readonly names: readonly string[];
      readonly body: Expression;
    })
  | (Node & { readonly kind: 'subquery'; readonly query: Query })
  | (Node & {
      readonly kind: 'in';
      readonly negated: boolean;
      readonly value: Expression;
      readonly set: Expression;
    })
  | (Node & { readonly kind: 'interval'; readonly value: Expression; readonly unit: IntervalUnit })
  | (Node & { readonly kind: 'alias'; readonly value: Expression; readonly name: string });

export type IntervalUnit =
  | 'second'
  | 'minute'
  | 'hour'
  | 'day'
  | 'week'
  | 'month'
  | 'quarter'
  | 'year';

/** SELECTs joined by UNION ALL / UNION DISTINCT; a single SELECT has no `others`. */
export interface Query {
  readonly at: Offset;
  readonly selects: readonly Select[];
  readonly union: 'all' | 'distinct';
}

export interface Select extends Node {
  readonly with: readonly WithItem[];
  readonly distinct: boolean;
  readonly items: readonly Expression[];
  readonly from?: TableExpression;
  readonly arrayJoin?: { readonly left: boolean; readonly items: readonly Expression[] };
  readonly prewhere?: Expression;
  readonly where?: Expression;
  readonly groupBy: readonly Expression[];
  /** ROLLUP, CUBE, TOTALS: valid SQL that the binder refuses for now. */
  readonly groupModifier?: 'rollup' | 'cube' | 'totals' | 'all';
  readonly having?: Expression;
  readonly orderBy: readonly OrderItem[];
  readonly limitBy?: {
    readonly limit: Expression;
    readonly offset?: Expression;
    readonly by: readonly Expression[];
  };
  readonly limit?: Expression;
  readonly offset?: Expression;
  readonly settings: readonly Setting[];
}

export type WithItem =
  | (Node & { readonly kind: 'expression'; readonly name: string; readonly value: Expression })
  | (Node & { readonly kind: 'query'; readonly name: string; readonly query: Query });

export interface OrderItem extends Node {
  readonly value: Expression;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

export interface Setting extends Node {
  readonly name: string;
  readonly value: LiteralValue;
}

export type TableExpression =
  | (Node & {
      readonly kind: 'table';
      readonly name: TableName;
      readonly alias?: string;
      readonly final: boolean;
    })
  | (Node & { readonly kind: 'subquery'; readonly query: Query; readonly alias?: string })
  | (Node & {
      readonly kind: 'function';
      readonly name: string;
      readonly arguments: readonly Expression[];
      readonly alias?: string;
    })
  | (Node & {
      readonly kind: 'join';
      readonly how: 'cross' | 'inner' | 'left' | 'right' | 'full' | 'semi' | 'anti';
      readonly left: TableExpression;
      readonly right: TableExpression;
      readonly on?: Expression;
      readonly using?: readonly string[];
    });

export interface TableName extends Node {
  readonly database?: string;
  readonly table: string;
}

export interface ColumnDefinition extends Node {
  readonly name: string;
  readonly type: DataType;
}

export interface CreateTable extends Node {
  readonly kind: 'create-table';
  readonly ifNotExists: boolean;
  readonly name: TableName;
  readonly columns: readonly ColumnDefinition[];
  readonly engine?: { readonly name: string; readonly arguments: readonly Expression[] };
  readonly partitionBy?: Expression;
  readonly orderBy: readonly Expression[];
  readonly primaryKey?: readonly Expression[];
  readonly settings: readonly Setting[];
  readonly comment?: string;
}

export interface Insert extends Node {
  readonly kind: 'insert';
  /** Where `function` is given: its name. */
  readonly name: TableName;
  /** INSERT INTO FUNCTION: its arguments. */
  readonly function?: readonly Expression[];
  readonly columns?: readonly string[];
  readonly settings: readonly Setting[];
  readonly source:
    | {
        readonly kind: 'query';
        readonly query: Query /** for input() */;
        readonly format?: string;
        readonly dataAt: Offset;
      }
    /** Data begins at this offset of the text, and goes on in the request's body. */
    | { readonly kind: 'format'; readonly format: string; readonly dataAt: Offset }
    | { readonly kind: 'values'; readonly dataAt: Offset };
}

export type Statement =
  | (Node & {
      readonly kind: 'select';
      readonly query: Query;
      readonly format?: string;
    })
  | CreateTable
  | Insert
  | (Node & {
      readonly kind: 'create-database';
      readonly ifNotExists: boolean;
      readonly name: string;
    })
  | (Node & { readonly kind: 'drop-database'; readonly ifExists: boolean; readonly name: string })
  | (Node & { readonly kind: 'drop-table'; readonly ifExists: boolean; readonly name: TableName })
  | (Node & { readonly kind: 'truncate'; readonly ifExists: boolean; readonly name: TableName })
  | (Node & {
      readonly kind: 'drop-partition';
      readonly name: TableName;
      readonly partition: Expression | 'all';
    })
  | (Node & {
      readonly kind: 'optimize';
      readonly name: TableName;
      readonly partition?: Expression;
      readonly final: boolean;
      readonly settings: readonly Setting[];
    })
  | (Node & { readonly kind: 'show-databases'; readonly like?: string; readonly format?: string })
  | (Node & {
      readonly kind: 'show-tables';
      readonly database?: string;
      readonly like?: string;
      readonly format?: string;
    })
  | (Node & {
      readonly kind: 'show-create';
      readonly what: 'table' | 'database';
      readonly name: TableName;
      readonly format?: string;
    })
  | (Node & {
      readonly kind: 'describe';
      readonly target: TableExpression;
      readonly format?: string;
    })
  | (Node & {
      readonly kind: 'exists';
      readonly what: 'table' | 'database';
      readonly name: TableName;
      readonly format?: string;
    })
  | (Node & {
      readonly kind: 'explain';
      readonly what: 'plan' | 'analyze' | 'syntax' | 'estimate';
      readonly settings: readonly Setting[];
      readonly statement: Statement;
      readonly format?: string;
    })
  | (Node & { readonly kind: 'use'; readonly database: string })
  | (Node & { readonly kind: 'set'; readonly settings: readonly Setting[] })
  /** Valid in ClickHouse, nothing to do here: SYSTEM FLUSH and the like answer 48. */
  | (Node & { readonly kind: 'unsupported'; readonly what: string });
