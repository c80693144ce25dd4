import { parseAst } from 'rolldown/parseAst'
import { expect, it } from 'vitest'
import { filesIn, textOf } from './source-files.ts'

const GROUNDS = ['packages/runtime', 'packages/slack', 'packages/durable']
const SOURCES = ['src', ...[...GROUNDS, 'packages/playground', 'packages/sandbox'].map((one) => `${one}/src`)]
const TESTS = ['test', 'packages/playground/test', 'packages/sandbox/test']

const LONGEST_FILE = 300
const LONGEST_TEST = 400
const LONGEST_FUNCTION = 80

const linesOf = (file: string): number => textOf(file).split('\n').length - 1

/** What the parser gives: nodes in nodes, of which only these members matter here. */
interface Node {
  type: string
  start: number
  end: number
  id?: { name?: string } | null
  key?: { name?: string }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

/** The functions of a file with their lines; one without a name has that of what it is a value of. */
function* functionsIn(file: string): Generator<{ name: string; lines: number }> {
  const text = textOf(file)
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  function* within(value: unknown, name: string): Generator<{ name: string; lines: number }> {
    if (Array.isArray(value)) for (const one of value) yield* within(one, name)
    if (!isNode(value)) return
    const own = value.id?.name ?? value.key?.name ?? name
    if (/^(Function|ArrowFunction)/.test(value.type))
      yield { name: `${file} ${own}`, lines: lineAt(value.end) - lineAt(value.start) + 1 }
    for (const child of Object.values(value)) yield* within(child, own)
  }
  yield* within(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }), 'unnamed')
}

it.each(SOURCES)(`no file of %s has more than ${LONGEST_FILE} lines`, (tree) => {
  expect(filesIn(tree).filter((file) => linesOf(file) > LONGEST_FILE)).toEqual([])
})

it.each(TESTS)(`no file of %s has more than ${LONGEST_TEST} lines`, (tree) => {
  expect(filesIn(tree).filter((file) => linesOf(file) > LONGEST_TEST)).toEqual([])
})

it.each(SOURCES)(`no function of %s has more than ${LONGEST_FUNCTION} lines`, (tree) => {
  const functions = filesIn(tree).flatMap((file) => [...functionsIn(file)])
  expect(functions.filter(({ lines }) => lines > LONGEST_FUNCTION)).toEqual([])
})

/** What modules keep although tests share processes: it is the same whoever asks. */
const KEPT: Record<string, string> = {
  'packages/playground/src/document.ts': 'the document that was read last, beside its text',
  'packages/sandbox/src/checking/probe.ts': 'certificates that this machine trusts',
  'src/domain/zoned-time.ts': 'formats of time zones',
  'src/metrics/metrics.ts': 'what is measured of the process itself',
  'src/features/cert-orders/rules/rules.ts': 'the rules that were read last, beside their text',
  'packages/durable/src/database/sqlite-reading.ts': 'statements, in a thread of its own',
  'packages/runtime/src/turns.ts': 'when this turn of the event loop began',
  'packages/slack/src/blocks/text.ts': 'the segmenter of letters, once one was needed',
}

it('keeps no state in a module, where a second start in the same process would find it', () => {
  const STATE =
    /^(?:export )?(?:let \w|const \w+(?:: [^=]+)? = new (?:Map|Set|LRUCache)(?:<.*>)?\((?:\)|\{))/m
  const keeping = SOURCES.flatMap(filesIn).filter((file) => STATE.test(textOf(file)))
  expect(keeping.filter((file) => !file.includes('/web/')).toSorted()).toEqual(Object.keys(KEPT).toSorted())
})

it('exports no two types of one name', () => {
  const places = new Map<string, string[]>()
  for (const file of ['src', ...GROUNDS.map((one) => `${one}/src`)].flatMap(filesIn))
    for (const [, name = ''] of textOf(file).matchAll(
      /^export (?:declare )?(?:interface|type|class) (\w+)/gm,
    ))
      places.set(name, [...(places.get(name) ?? []), file])
  expect([...places].filter(([, files]) => files.length > 1)).toEqual([])
})

/** Unique names and keys may come from anywhere; what a test does comes from numbers that its printed seed repeats. */
it('no test is random but by a seed', () => {
  const unseeded = TESTS.flatMap(filesIn).filter(
    (file) =>
      !['test/random.ts', 'test/budget.test.ts'].includes(file) &&
      /\bMath\.random\b|\brandomInt\b/.test(textOf(file)),
  )
  expect(unseeded).toEqual([])
})
