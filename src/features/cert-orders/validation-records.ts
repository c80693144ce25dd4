import { type AnswerLeaf, leavesOf } from './answer.ts'

const VALIDATION =
  /(?:^|[._[\]])(?:dcv|dns|cname|txt|validations?|domain_control\w*|domain_validations?|challenges?)(?=$|[._[\]])/i
const HOST = /^(?:host|hostname|name|fqdn|record|record_name|cname_name|label)$/i
const TARGET = /^(?:value|content|target|data|points_to|record_value|cname_value|txt|token|rdata)$/i
const KIND = /^(?:type|record_type|method|rr_type)$/i

/** What proves the names, where the answer has it: one line for each record, made to be copied. */
export function validationRecords(answer: string): string[] {
  const leaves = (leavesOf(answer) ?? []).filter(({ path }) => VALIDATION.test(path))
  const groups = new Map<string, AnswerLeaf[]>()
  for (const leaf of leaves) {
    const parent = leaf.path.slice(0, Math.max(0, leaf.path.lastIndexOf('.')))
    groups.set(parent, [...(groups.get(parent) ?? []), leaf])
  }
  return [...groups.values()].flatMap(recordOf)
}

function recordOf(leaves: readonly AnswerLeaf[]): string[] {
  const find = (kind: RegExp): string | undefined => leaves.find(({ path }) => kind.test(lastOf(path)))?.value
  const [host, target, type] = [find(HOST), find(TARGET), find(KIND)]
  if (host && target)
    return [`${host} ${/^[A-Za-z]{1,10}$/.test(type ?? '') ? type?.toUpperCase() : 'CNAME or TXT'} ${target}`]
  return leaves.map(({ path, value }) => `${path}: ${value}`)
}

const lastOf = (path: string): string => path.split('.').at(-1) ?? ''
