import { selectRows } from '@signalman/durable'
import { HOUR_MS, Notice } from '@signalman/runtime'
import { card, commandButton, type Message, person } from '@signalman/slack'
import { bindMessage } from '../../bot/bind-buttons.ts'
import { type StepContext, sendStep } from '../../bot/posts/post-step.ts'
import type { ActSteps, Requester, Rights } from '../../bot/routes/command-context.ts'
import { type GrantableRole, ROLE_DESCRIPTIONS } from '../../domain/roles.ts'
import type { AccessDeps } from './change-roles.ts'

const VERB = '/hc role-ask'

/** Asks an admin for a role in a DM, for a person who lacks it: at most once an hour. Throws Notice. */
export async function askForRole(
  { listAdmins }: Pick<AccessDeps, 'listAdmins'>,
  context: Requester & Rights & ActSteps & StepContext,
  role: GrantableRole,
): Promise<Message> {
  const { workspaceId, userId, begunAt } = context
  if ((await context.roles()).has(role))
    throw new Notice(`You have the ${role} role already. Nobody was asked.`, [ROLES])
  const admin = await context.once('admin', async () => (await listAdmins(context))[0])
  if (admin === undefined)
    throw new Notice('Slack doesn’t say who the admins are, so nobody was asked. Try again in a minute.')
  // Its environment would be a part of the object.
  await context.decide({ verb: VERB, object: role, environment: 'production' }, async ({ transaction }) => {
    const asked = { workspace_id: workspaceId, user_id: userId, verb: VERB, object: role }
    const since = new Date(begunAt.getTime() - HOUR_MS).toISOString()
    const recent = selectRows(transaction, 'audit_entry', asked).where('at', '>', since).limit(1)
    if (await recent.executeTakeFirst())
      throw new Notice('You asked for this role within the last hour. Nobody was asked again.', [ROLES])
  })
  const question = card({
    headline: [person(userId), ` asks for the ${role} role.`],
    notes: [`It lets them ${ROLE_DESCRIPTIONS[role]}.`],
    controls: [
      commandButton('Give it for 8 hours', `/hc grant ${userId} ${role} 8h`),
      commandButton('Give it without an end', `/hc grant ${userId} ${role}`),
      commandButton(ROLES.label, ROLES.line),
    ],
  })
  await sendStep(context, { details: `ask for ${role}`, to: admin }, bindMessage(question, 'production'))
  return card({ headline: ['Signalman asked ', person(admin), ` to give you the ${role} role.`] })
}

const ROLES = { label: 'Roles', line: '/hc access' }
