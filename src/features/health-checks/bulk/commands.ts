import { ButtonTooOld } from '../../../bot/buttons/button-too-old.ts'
import type { Routes } from '../../../bot/routes/routes.ts'
import type { Arguments } from '../../../bot/typed/command-line.ts'
import type { ChangesParts } from '../changes/start-changes.ts'
import { FILTER_FLAGS } from '../parse.ts'
import { applyBulk, previewBulk } from './apply-bulk.ts'
import { bulkForm, bulkModal } from './forms.ts'
import { BULK_ACTIONS, BULK_FLAGS, type BulkAction, parseBulk } from './parse.ts'

/** What is done to many health checks at once: typed, or put together in a window; always shown first. */
export function bulkCommands(routes: Routes, parts: ChangesParts): void {
  routes.verb({
    command: 'hc',
    verb: 'bulk',
    usage: 'bulk [name*] [--status S] [--protocol P] [--target T] [--customer N]',
    does: 'Change, copy or delete many health checks, or their recipients, in a window',
    needs: 'operator',
    opens: true,
    flags: BULK_FLAGS,
    alsoTyped: { many: 'bulk', mass: 'bulk' },
    async run(context, args) {
      await context.api()
      const { what, rest } = actionIn(args)
      return bulkModal(parseBulk(what ?? BULK_ACTIONS[0], rest), context.environment === 'ote')
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'clone',
    usage: 'clone NAME* [--suffix TEXT] [--set-customer N] [--status S] …',
    does: 'Copy health checks with their alerts, after a preview',
    needs: 'operator',
    flags: { ...FILTER_FLAGS, names: 'value', suffix: 'value', 'set-customer': 'value' },
    alsoTyped: { copy: 'clone', duplicate: 'clone' },
    example: 'clone web-* --suffix " (staging)"',
    run: (context, args) => previewBulk(context, parseBulk('clone', args)),
  })

  routes.verb({
    command: 'hc',
    verb: 'bulk-apply',
    usage: 'bulk-apply VERB … --seen DIGEST',
    does: 'Do to many health checks what was shown',
    needs: 'operator',
    acts: true,
    hidden: true,
    flags: { ...BULK_FLAGS, seen: 'value' },
    run(context, args) {
      const { what, rest } = actionIn(args)
      const { seen } = args.flags
      if (!what || typeof seen !== 'string') throw new ButtonTooOld({ next: 'Type the command again.' })
      return applyBulk(parts, context, parseBulk(what, rest), seen)
    },
  })

  routes.form(bulkForm)
}

/** The action is the first word; the others are a name. */
function actionIn({ words, flags }: Arguments): { what: BulkAction | undefined; rest: Arguments } {
  const [first, ...rest] = words
  const what = BULK_ACTIONS.find((action) => action === first)
  return { what, rest: { words: what ? rest : words, flags } }
}
