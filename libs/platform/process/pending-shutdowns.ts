import type { INestApplicationContext, OnApplicationShutdown } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

/**
 * Watches the shutdown of an application.
 * @returns the names of the providers whose `onApplicationShutdown` has begun and not ended
 */
export function watchShutdowns(app: INestApplicationContext): ReadonlySet<string> {
  const pending = new Set<string>();
  for (const module of app.get(ModulesContainer).values()) {
    for (const { instance } of module.providers.values()) {
      const provider = instance as Partial<OnApplicationShutdown> | undefined;
      const shutdown = provider?.onApplicationShutdown;
      if (!provider || !shutdown) continue;
      provider.onApplicationShutdown = async (signal) => {
        const { name } = provider.constructor;
        pending.add(name);
        await shutdown.call(provider, signal);
        pending.delete(name);
      };
    }
  }
  return pending;
}
