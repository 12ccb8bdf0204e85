import { takeToken } from './boot/token'

// First of all: nothing that is loaded later may see the token in the address bar.
takeToken()
void import('./boot/start').then(({ start }) => start())
