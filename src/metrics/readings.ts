import { Gauge, type Registry } from '@prometheus-io/client'
import type { Figures } from '../store/figures.ts'
import { createFigures } from './figure-readings.ts'
import { createSockets } from './socket-readings.ts'

/** What is asked for each time that the metrics are read. */
export interface Readings {
  /** Of the whole deployment: every process says the same. Rejects while the database does not answer. */
  figures(): Promise<Figures>
  /** In Socket Mode. */
  sockets(): { open: number; opened: number; gaps: number; gapMs: number } | undefined
  /** Acknowledged requests that still run. */
  running(): number
}

/** Puts what is read into metrics. */
export function createReadings(readings: Readings, registers: Registry[]): () => Promise<void> {
  const running = new Gauge({
    name: 'signalman_requests_running',
    help: 'Acknowledged requests that still run in this process.',
    registers,
  })
  const readFigures = createFigures(readings, registers)
  const readSockets = readings.sockets() ? createSockets(registers) : () => undefined
  return async () => {
    running.set(readings.running())
    readSockets(readings.sockets())
    await readFigures()
  }
}
