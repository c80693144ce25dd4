import type { Routes } from '../../../bot/routes/routes.ts'
import type { Arguments } from '../../../bot/typed/command-line.ts'
import { flagsOf, readFields } from '../../../bot/typed/fields.ts'
import { findCheckId } from '../../../domain/find-check.ts'
import { quoted } from '../../../domain/quoting.ts'
import { bulkForm } from '../bulk/forms.ts'
import { bulkFlags, parseBulk } from '../bulk/parse.ts'
import { previewBulk } from '../bulk/plan-bulk.ts'
import { readEditable } from '../changes/editable.ts'
import { type UndoParts, undelete } from '../changes/undo.ts'
import { createForm, GIVEN } from '../forms/create.ts'
import { deleteForm } from '../forms/delete.ts'
import { editForm, saveAnyway } from '../forms/edit.ts'
import { askWhichMeant } from '../parse.ts'
import { customersSeen } from '../read-listing.ts'

/** Whether a line means many checks: by a `*`, a filter, or what is set on all of them. */
const isAboutMany = ({ words, flags }: Arguments): boolean =>
  [...words, String(flags.name)].some((word) => word.includes('*')) ||
  Object.keys(bulkFlags('edit')).some((flag) => flag !== 'name' && flags[flag] !== undefined)

/** A name behind its flag is as good as one that is typed alone. */
const namedIn = ({ words, flags: { name } }: Arguments): readonly string[] =>
  typeof name === 'string' ? [name] : words

/** `/hc create`, `edit` and `delete`: of one check in a window, of many by a preview. */
export function changingCommands(routes: Routes, parts: UndoParts): void {
  routes.verb({
    command: 'hc',
    verb: 'create',
    usage: 'create [--name N] [--target T] [--protocol P] [--customer N]',
    does: 'Create a health check, with what is known already filled in',
    needs: 'operator',
    alsoTyped: { add: 'create', new: 'create' },
    opens: true,
    flags: flagsOf(GIVEN),
    async run(context, { flags }) {
      const customers = await customersSeen(await context.api())
      return createForm.open(context.environment, readFields(GIVEN, flags), customers)
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'edit',
    usage: 'edit NAME|UUID, or edit NAME* [--status S] … --frequency N|--port N|--verify-ssl yes|no …',
    does: 'Change a health check; with a * or a filter, many at once after a preview',
    needs: 'operator',
    alsoTyped: { change: 'edit', update: 'edit' },
    opens: true,
    flags: bulkFlags('edit'),
    async run(context, args) {
      askWhichMeant('edit', args)
      if (isAboutMany(args)) {
        const request = parseBulk('edit', args)
        if (Object.keys(request.to).length > 0) return previewBulk(context, request)
        return bulkForm.open(context.environment, request)
      }
      const uuid = await findCheckId(context, namedIn(args), (uuid) => `/hc edit ${quoted(uuid)}`)
      const { healthChecks } = await context.api()
      return editForm.open(context.environment, await readEditable(healthChecks, uuid))
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'delete',
    usage: 'delete NAME|UUID, or delete NAME* [--status S] [--customer N] …',
    does: 'Delete a health check, after a confirmation; with a * or a filter, many at once after a preview',
    needs: 'operator',
    alsoTyped: { remove: 'delete', rm: 'delete', del: 'delete' },
    opens: true,
    flags: bulkFlags('delete'),
    async run(context, args) {
      askWhichMeant('delete', args)
      if (isAboutMany(args)) return previewBulk(context, parseBulk('delete', args))
      const uuid = await findCheckId(context, namedIn(args), (uuid) => `/hc delete ${quoted(uuid)}`)
      const { healthChecks, alerts } = await context.api()
      const [check, known] = await Promise.all([healthChecks.get(uuid), alerts.list(uuid)])
      return deleteForm.open(context.environment, check, known)
    },
  })

  hiddenCommands(routes, parts)
  routes.form(createForm)
  routes.form(editForm, parts)
  routes.form(deleteForm, parts)
}

/** What only buttons ask for. */
function hiddenCommands(routes: Routes, parts: UndoParts): void {
  routes.verb({
    command: 'hc',
    verb: 'edit-anyway',
    usage: 'edit-anyway STATE',
    does: 'Save an edit over what somebody else has changed',
    needs: 'operator',
    acts: true,
    hidden: true,
    run: (context, { words: [stateId = ''] }) => saveAnyway(parts.ephemeralState, context, stateId),
  })

  routes.verb({
    command: 'hc',
    verb: 'undelete',
    usage: 'undelete STATE [--yes]',
    does: 'Create a deleted health check and its alerts again',
    needs: 'operator',
    acts: true,
    hidden: true,
    flags: { yes: 'switch' },
    run: (context, { words: [undoId = ''], flags }) => undelete(parts, context, undoId, flags.yes === true),
  })
}
