import { EXAMPLE_CSR } from '../../e2e/csr.ts'

export const WORKSPACE = 'T1'
export const CSR = EXAMPLE_CSR

/** Slack as those tests need it: what was said to anybody, in order. */
export function peopleOf(told: string[]) {
  const post = async (
    _where: unknown,
    _environment: unknown,
    channelId: string,
    { text }: { text: string },
  ) => {
    told.push(text)
    return { channelId, ts: String(told.length) }
  }
  return {
    messenger: { post, direct: post, edit: async () => undefined },
    mayPost: async (): Promise<'yes'> => 'yes',
    findHolders: async () => ['U2'],
    nameOf: async (_where: unknown, userId: string) => userId,
    createReference: () => 'r',
    report: () => undefined,
  }
}
