import type { Settings } from '@signalman/durable'
import { literal, type Message, message, section } from '@signalman/slack'
import type { Routes } from '../../../bot/routes/routes.ts'
import { OWN_HOSTS, readHosts } from './rules.ts'

/** `/hc runbook-hosts`: to which hosts the links of runbooks can be pressed. */
export function runbookCommands(
  routes: Routes,
  { settings }: { settings: Pick<Settings, 'get' | 'set'> },
): void {
  routes.verb({
    command: 'hc',
    verb: 'runbook-hosts',
    usage: 'runbook-hosts [HOST…|none]',
    does: 'Name the hosts of your own pages: links of runbooks to them can be pressed, all others are shown only',
    needs: 'admin',
    acts: ({ words }) => words.length > 0,
    example: 'runbook-hosts wiki.example.com',
    async run(context, { words }) {
      const { workspaceId } = context
      if (words.length === 0) return said(await settings.get(workspaceId, OWN_HOSTS))
      const hosts = readHosts(words)
      const before = await context.keep('hosts', () => settings.get(workspaceId, OWN_HOSTS))
      await context.change(
        { verb: '/hc runbook-hosts', object: 'hosts of runbooks', before, after: hosts, isRepeatable: true },
        () => settings.set(workspaceId, OWN_HOSTS, hosts),
      )
      return said(hosts)
    },
  })
}

function said(hosts: readonly string[]): Message {
  const sentence =
    hosts.length === 0
      ? 'No link of a runbook can be pressed: all are shown only.'
      : `Links of runbooks to ${hosts.join(', ')} can be pressed. Others are shown only.`
  return message(literal(sentence), section(sentence))
}
