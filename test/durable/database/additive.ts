/** The statements of a migration. */
export interface Statements {
  readonly name: string
  readonly statements: readonly string[]
}

const normalize = (text: string): string =>
  text.replaceAll('"', '').replaceAll(/\s+/g, ' ').trim().toLowerCase()

const captureNames = (statements: readonly string[], pattern: RegExp): Set<string> =>
  new Set(statements.flatMap((statement) => pattern.exec(statement)?.[1] ?? []))

/** What the migration itself creates. */
interface Created {
  readonly tables: ReadonlySet<string>
  readonly tablesWithTriggers: ReadonlySet<string>
}

/** The start of each kind of statement, and a function that says whether its captured table or column definition is allowed. */
const RULES: readonly [RegExp, (captured: string, created: Created) => boolean][] = [
  [/^(?:select|set local|create (?:or replace )?function|create table|create index)\b/, () => true],
  // A new unique index may fail on existing rows, and a new trigger may reject rows that were valid before.
  [/^create (?:unique index|trigger) .*? on (\S+)/, (table, { tables }) => tables.has(table)],
  [/^insert into (\S+)/, (table, { tables }) => tables.has(table)],
  // Allowed if the same migration creates another trigger on that table.
  [/^drop trigger \S+ on (\S+)$/, (table, { tablesWithTriggers }) => tablesWithTriggers.has(table)],
  [
    /^alter table \S+ add column (.+)$/,
    (column) =>
      !/ (?:unique|primary key|references|check)\b/.test(column) &&
      (!column.includes('not null') || column.includes(' default ')),
  ],
]

/**
 * Returns the statements that could break a running process of the previous version. That version only knows its own tables and
 * columns, writes rows without the new ones, and may still need everything that existed.
 */
export function findNonAdditive({ name, statements: original }: Statements): string[] {
  const statements = original.map(normalize)
  const created = {
    tables: captureNames(statements, /^create table (?:if not exists )?(\S+)/),
    tablesWithTriggers: captureNames(statements, /^create trigger .*? on (\S+)/),
  }
  const isAdditive = (statement: string): boolean => {
    const rule = RULES.find(([pattern]) => pattern.test(statement))
    if (!rule) return false
    const [pattern, isAllowed] = rule
    return isAllowed(pattern.exec(statement)?.[1] ?? '', created)
  }
  return original
    .filter((_, index) => !isAdditive(statements[index] ?? ''))
    .map((statement) => `${name}: ${statement}`)
}
