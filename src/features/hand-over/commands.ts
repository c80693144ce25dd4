import { UserError } from '@signalman/runtime'
import type { VerbDeclaration } from '../../bot/routes/routes.ts'
import { cmd } from '../../domain/command-names.ts'
import { type HandOverDeps, handOver, previewHandOver, sendPreviewFile } from './hand-over.ts'

/** `/hc handover` and the hidden verbs of its buttons. */
export const handOverCommands = (deps: HandOverDeps): VerbDeclaration[] => [
  {
    usage: '/hc handover [@from] @to',
    description:
      'Hand over everything you own, or as an admin everything someone else owns: orders, threat cases, outages, watches, and running changes',
    needs: 'viewer',
    changesSomething: true,
    redraws: true,
    synonyms: { transfer: 'handover', reassign: 'handover', 'hand-over': 'handover', hand: 'handover' },
    example: 'handover @lee @ada',
    run: (context, { words }) =>
      previewHandOver(deps, context, parsePeople(words.length === 1 ? [context.userId, ...words] : words)),
  },

  {
    usage: '/hc handover-start FROM TO --seen DIGEST',
    description: 'Hand over what a preview shows',
    needs: 'viewer',
    changesSomething: true,
    isAct: true,
    hidden: true,
    flags: { seen: 'value' },
    run: (context, { words, flags }) =>
      handOver(deps, context, parsePeople(words), typeof flags.seen === 'string' ? flags.seen : ''),
  },

  {
    usage: '/hc handover-file FROM TO',
    description: 'Send the whole preview as a file',
    needs: 'viewer',
    changesSomething: true,
    isAct: true,
    hidden: true,
    run: (context, { words }) => sendPreviewFile(deps, context, parsePeople(words)),
  },
]

function parsePeople(words: readonly string[]): { from: string; to: string } {
  const [from, to, ...more] = words
  if (from === undefined || to === undefined || more.length > 0)
    throw new UserError(
      `Who takes over? Type \`${cmd('/hc handover')} @ada\` to hand over your own work, or name both people: \`${cmd('/hc handover')} @lee @ada\`. To hand over only an outage, open the ··· menu of the message that reports it and choose “Hand over”.`,
    )
  return { from, to }
}
