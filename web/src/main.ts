import { takeCode, takeToken } from './boot/token'

// First of all: nothing that is loaded later may see the token or the code in the address bar.
takeToken()
const code = takeCode()
void import('./boot/start').then(({ start }) => start(code))
