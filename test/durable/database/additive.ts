/** What a migration changes, statement by statement. */
export interface Statements {
  readonly name: string
  readonly statements: readonly string[]
}

const words = (text: string): string => text.replaceAll('"', '').replaceAll(/\s+/g, ' ').trim().toLowerCase()

const named = (statements: readonly string[], pattern: RegExp): Set<string> =>
  new Set(statements.flatMap((one) => pattern.exec(one)?.[1] ?? []))

/** What a migration has made itself, by the names of tables. */
interface Own {
  readonly made: ReadonlySet<string>
  readonly triggered: ReadonlySet<string>
}

/** Begins like this → whether what is captured, a table or a column's definition, may be so. */
const RULES: readonly [RegExp, (captured: string, own: Own) => boolean][] = [
  [/^(?:select|set local|create (?:or replace )?function|create table|create index)\b/, () => true],
  // What is unique now was written twice before; a trigger may refuse what was taken before.
  [/^create (?:unique index|trigger) .*? on (\S+)/, (table, { made }) => made.has(table)],
  [/^insert into (\S+)/, (table, { made }) => made.has(table)],
  // Another one takes its place.
  [/^drop trigger \S+ on (\S+)$/, (table, { triggered }) => triggered.has(table)],
  [
    /^alter table \S+ add column (.+)$/,
    (column) =>
      !/ (?:unique|primary key|references|check)\b/.test(column) &&
      (!column.includes('not null') || column.includes(' default ')),
  ],
]

/**
 * The statements that a program of the version before could stumble over while it serves: it knows only the tables and columns
 * of its own version, writes rows without the new ones, and may still need whatever there was.
 */
export function notAdditive({ name, statements: given }: Statements): string[] {
  const statements = given.map(words)
  const own = {
    made: named(statements, /^create table (?:if not exists )?(\S+)/),
    triggered: named(statements, /^create trigger .*? on (\S+)/),
  }
  const isAdditive = (one: string): boolean => {
    const rule = RULES.find(([pattern]) => pattern.test(one))
    if (!rule) return false
    const [pattern, may] = rule
    return may(pattern.exec(one)?.[1] ?? '', own)
  }
  return given.filter((_, at) => !isAdditive(statements[at] ?? '')).map((one) => `${name}: ${one}`)
}
