import { UserError } from '@signalman/runtime'
import { oneLine, section, textInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import { checkName } from '../../../bot/views/check-facts.ts'
import { describeMailed } from '../../../bot/views/mailed.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { Alert } from '../../../service/alerts.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { saveRow } from '../bulk/save-row.ts'
import type { BulkDeps } from '../bulk/start.ts'
import type { Row } from '../rules/row.ts'
import { formatTarget } from '../views/check.ts'

/** The form that deletes a health check as it's shown. The person types its name, so that a click alone deletes nothing. */
export const deleteForm = form({
  id: 'health-checks.deletion',
  title: 'Delete health check',
  button: 'Delete',
  verb: '/hc delete',
  needs: 'operator',
  workingText: 'Deleting the health check…',
  content(
    environment,
    check: HealthCheck,
    alerts: readonly Alert[],
    formState: { account: string; row: Row },
  ) {
    return {
      formState,
      blocks: [
        section(
          `Deletes ${checkName(check)}${environmentSuffix(environment)} (${formatTarget(check)}), which ${alerts.length === 0 ? 'has no alerts' : `has ${pluralize(alerts.length, 'alert')} and emails ${describeMailed(alerts)}`}. The service stops checking it, and no one is notified when the target goes down.`,
        ),
        textInput('name', 'Type the name of the health check', { hint: formState.row.name }),
      ],
    }
  },
  read: (answers) => answers.text('name') ?? '',
  async submit(context, typed, seen, deps: BulkDeps) {
    const { name } = seen.row
    if (oneLine(typed) !== name) throw new UserError(`Type \`${name}\` to confirm.`)
    return saveRow(deps, context, { verb: '/hc delete', ...seen })
  },
})
