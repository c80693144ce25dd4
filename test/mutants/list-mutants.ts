import { parseAst } from 'rolldown/parseAst'

/** One change of a source file: the text from `start` to `end` becomes `replacement`. */
export interface Mutant {
  start: number
  end: number
  original: string
  replacement: string
  /** From 1. */
  line: number
}

interface SyntaxNode {
  type: string
  start: number
  end: number
  [property: string]: unknown
}

type Change = Pick<Mutant, 'start' | 'end' | 'replacement'>

const SWAPPED_OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '&&': '||',
  '||': '&&',
}
const SWAPPED_METHODS: Readonly<Record<string, string>> = {
  every: 'some',
  some: 'every',
  min: 'max',
  max: 'min',
  find: 'findLast',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

/** The nodes directly inside a node, without types. */
const listChildren = (node: SyntaxNode): SyntaxNode[] =>
  Object.values(node)
    .flat()
    .filter(isNode)
    .filter(({ type }) => !type.startsWith('TS') || /^TS(As|Satisfies|NonNull)Expression$/.test(type))

/** Every change that may break the code: a condition, a comparison, a limit, a default, or a call whose result nobody uses. */
export function listMutants(code: string): Mutant[] {
  const mutants: Mutant[] = []
  const visit = (node: SyntaxNode): void => {
    for (const change of listChanges(node, code))
      mutants.push({
        ...change,
        original: code.slice(change.start, change.end),
        line: code.slice(0, change.start).split('\n').length,
      })
    for (const child of listChildren(node)) visit(child)
  }
  visit(parseAst(code, { lang: 'ts' }) as unknown as SyntaxNode)
  return mutants
}

export const applyMutant = (code: string, { start, end, replacement }: Change): string =>
  code.slice(0, start) + replacement + code.slice(end)

function listChanges(node: SyntaxNode, code: string): Change[] {
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      // A condition that is one comparison is changed by its operator.
      return isNode(node.test) && node.test.type !== 'BinaryExpression' ? [negate(node.test, code)] : []
    case 'BinaryExpression':
    case 'LogicalExpression':
      return changeOperator(node, code)
    case 'Literal':
      return changeLiteral(node)
    case 'CallExpression':
      return changeMethod(node)
    case 'ExpressionStatement':
      return isNode(node.expression) && /^(Call|Await)Expression$/.test(node.expression.type)
        ? [{ start: node.start, end: node.end, replacement: ';' }]
        : []
    default:
      return []
  }
}

const negate = ({ start, end }: SyntaxNode, code: string): Change => ({
  start,
  end,
  replacement: `!(${code.slice(start, end)})`,
})

function changeOperator({ left, right, operator }: SyntaxNode, code: string): Change[] {
  if (!isNode(left) || !isNode(right) || typeof operator !== 'string') return []
  if (operator === '??')
    return [{ start: left.start, end: right.end, replacement: code.slice(left.start, left.end) }]
  const swapped = SWAPPED_OPERATORS[operator]
  const start = code.indexOf(operator, left.end)
  if (!swapped || start < 0 || start >= right.start) return []
  return [{ start, end: start + operator.length, replacement: swapped }]
}

function changeLiteral({ start, end, value }: SyntaxNode): Change[] {
  if (typeof value === 'boolean') return [{ start, end, replacement: String(!value) }]
  return typeof value === 'number' ? [{ start, end, replacement: String(value + 1) }] : []
}

function changeMethod({ callee }: SyntaxNode): Change[] {
  if (!isNode(callee) || callee.type !== 'MemberExpression' || !isNode(callee.property)) return []
  const { name, start, end } = callee.property
  const swapped = typeof name === 'string' && Object.hasOwn(SWAPPED_METHODS, name) && SWAPPED_METHODS[name]
  return swapped ? [{ start, end, replacement: swapped }] : []
}
