import { type ActKind, describeCount, NO_WAIT, UNTIL_FORM } from './act-kind.ts'
import type { Deployment } from './deployment.ts'

const CHECKS = '/healthcheck/v1/healthchecks'
const ANN = 'ann@example.com'
const OPS = 'ops@example.com'
/** Another alert of the same check, which stays as it is. */
const OTHER = 'other@example.com'

async function listRecipients({ service }: Deployment, uuid: string): Promise<string> {
  return (await service.alerts(uuid)).map((alert) => alert.recipients.join('+')).join(' ')
}

/** An act on one of the two alerts of a check, or on a third. `before` and `after` are their recipients. */
const alertAct = (
  name: string,
  act: {
    before: string
    after: string
    answers: Record<string, string>
    verb: string
    method: string
    donePattern: RegExp
  },
): ActKind => ({
  name,
  async prepare(deployment, checkName) {
    const { slack, service } = deployment
    const { before, after, verb, method, donePattern } = act
    const uuid = await service.addCheck({ name: checkName, alerts: [[before], [OTHER]] })
    const [alert] = method === 'POST' ? [] : await service.alerts(uuid)
    await slack.member.command('/hc', `${verb} ${uuid} ${alert?.id ?? ''}`.trim(), UNTIL_FORM)
    return {
      verb: `/hc ${verb}`,
      donePattern,
      serviceRequest: { method, path: `${CHECKS}/${uuid}` },
      send: () => slack.member.submit(act.answers, NO_WAIT),
      readEffect: async () =>
        ({ [after]: 'done', [`${before} ${OTHER}`]: 'absent' })[await listRecipients(deployment, uuid)] ??
        'different',
    }
  },
})

/** The forms and buttons of health checks and their alerts. */
export const CHECK_ACTS: readonly ActKind[] = [
  {
    name: 'create',
    async prepare({ slack, service }, name) {
      await slack.member.command('/hc', 'create', UNTIL_FORM)
      return {
        verb: '/hc create',
        donePattern: /Created 1/,
        serviceRequest: { method: 'POST', path: CHECKS, name },
        // It may have been created, and then deleted or renamed.
        undetectable: ['absent'],
        send: () =>
          slack.member.submit({ Name: name, Target: 'www.example.com', 'Customer ID': '1' }, NO_WAIT),
        readEffect: async () => describeCount((await service.checksNamed(name)).length),
      }
    },
  },
  {
    name: 'edit',
    async prepare({ slack, service }, name) {
      const uuid = await service.addCheck({ name })
      await slack.member.command('/hc', `edit ${uuid}`, UNTIL_FORM)
      return {
        verb: '/hc edit',
        donePattern: /Changed 1/,
        serviceRequest: { method: 'PUT', path: `${CHECKS}/${uuid}` },
        send: () => slack.member.submit({ Port: '8443' }, NO_WAIT),
        readEffect: async () => (Number((await service.check(uuid)).port) === 8443 ? 'done' : 'absent'),
      }
    },
  },
  {
    name: 'typed edit',
    async prepare({ slack, service }, name) {
      const uuid = await service.addCheck({ name })
      const until = '? This would '
      const { message } = await slack.member.command('/hc', `edit ${uuid} --port 8443`, { until })
      return {
        verb: '/hc edit',
        donePattern: /Changed 1 health check/,
        send: () => slack.member.click(message, 'Change 1', NO_WAIT),
        readEffect: async () => (Number((await service.check(uuid)).port) === 8443 ? 'done' : 'absent'),
      }
    },
  },
  {
    name: 'delete',
    async prepare({ slack, service }, name) {
      const uuid = await service.addCheck({ name, alerts: [[ANN], [OTHER]] })
      await slack.member.command('/hc', `delete ${uuid}`, UNTIL_FORM)
      return {
        verb: '/hc delete',
        donePattern: /Deleted 1 health check/,
        send: () => slack.member.submit({ 'Type the name of the health check': name }, NO_WAIT),
        readEffect: async () => ((await service.checksNamed(name)).length === 0 ? 'done' : 'absent'),
      }
    },
  },
  alertAct('add an alert', {
    ...{ before: OPS, after: `${OPS} ${OTHER} ${ANN}`, answers: { 'Email addresses': ANN } },
    ...{ verb: 'alert-add', method: 'POST', donePattern: /Changed 1/ },
  }),
  alertAct('edit an alert', {
    ...{ before: ANN, after: `${OPS} ${OTHER}`, answers: { 'Email addresses': OPS } },
    ...{ verb: 'alert-edit', method: 'PUT', donePattern: /Changed 1/ },
  }),
  alertAct('remove an alert', {
    ...{ before: ANN, after: OTHER, answers: {} },
    ...{ verb: 'alert-remove', method: 'DELETE', donePattern: /Changed 1/ },
  }),
  {
    name: 'start an import',
    async prepare({ slack, service }, name) {
      const rows = [1, 2, 3].map((row) => `${name}-${row},TCP,mx.example.com,25,60,1`)
      const csv = ['name,protocol,target,port,frequency,customer_id', ...rows].join('\n')
      const { id } = await slack.member.upload(`${name}.csv`, csv, 'text/csv')
      await slack.member.command('/hc', 'import', UNTIL_FORM)
      const { view } = await slack.member.submit({ 'CSV file': [id] }, { until: '? This would ' })
      return {
        verb: '/hc import',
        donePattern: /Started\./,
        send: () => slack.member.click(view, 'Create 3', NO_WAIT),
        async readEffect(seenText) {
          const { length } = await service.checksNamed(`${name}-*`)
          if (length === 3) return 'done'
          // A process died around the request of a row, and the check isn't there: the person has to find out.
          if (seenText.includes(`${3 - length} unclear`)) return 'unclear'
          return length === 0 ? 'absent' : `${length} of 3`
        },
      }
    },
  },
  {
    name: 'share',
    async prepare({ slack, service }, name) {
      const uuid = await service.addCheck({ name })
      const countShared = async () =>
        (await slack.member.messages('general')).filter(
          ({ app, ephemeral, text }) => app && !ephemeral && text.includes(name),
        ).length
      return {
        verb: '/hc show',
        donePattern: /Shared by/,
        send: () => slack.member.command('/hc', `show ${uuid} --share --yes`, NO_WAIT),
        readEffect: async () => describeCount(await countShared()),
      }
    },
  },
]
