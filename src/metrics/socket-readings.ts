import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { Readings } from './readings.ts'

/** How many sockets to Slack are open, and how often one was lost. */
export function createSockets(registers: Registry[]) {
  const open = new Gauge({
    name: 'signalman_slack_sockets',
    help: 'Sockets to Slack that are open and have given a sign of life.',
    registers,
  })
  const counter = (name: string, help: string) => {
    const one = new Counter({ name: `signalman_${name}`, help, registers })
    return (total: number) => {
      one.reset()
      one.inc(total)
    }
  }
  const opened = counter('slack_sockets_opened_total', 'Sockets to Slack that were opened.')
  const gaps = counter('slack_socket_gaps_total', 'Times without any socket, since the first one.')
  const gapSeconds = counter('slack_socket_gap_seconds_total', 'How long those lasted together.')
  return (now: ReturnType<Readings['sockets']>) => {
    if (!now) return
    open.set(now.open)
    opened(now.opened)
    gaps(now.gaps)
    gapSeconds(now.gapMs / 1000)
  }
}
