export interface Statements {
  readonly name: string
  readonly statements: readonly string[]
}

const normalize = (text: string): string =>
  text.replaceAll('"', '').replaceAll(/\s+/g, ' ').trim().toLowerCase()

/** The start of each kind of statement, and a function that says whether its captured table or column definition is allowed. */
const RULES: readonly [RegExp, (captured: string, createdTables: ReadonlySet<string>) => boolean][] = [
  [/^(?:select|set local|create table|create index)\b/, () => true],
  // A new unique index may fail on existing rows.
  [/^create unique index .*? on (\S+)/, (table, created) => created.has(table)],
  [/^insert into (\S+)/, (table, created) => created.has(table)],
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
  const created = new Set(
    statements.flatMap((statement) => /^create table (?:if not exists )?(\S+)/.exec(statement)?.[1] ?? []),
  )
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
