// Runs the app in a process whose clock jumps on SIGUSR2, and back on SIGCONT.
import './jumping-clock.ts'

await import('./app-child.ts')
