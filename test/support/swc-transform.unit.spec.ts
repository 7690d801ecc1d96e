import { UnsecuredJWT } from 'jose';

const Noted = (): PropertyDecorator => () => {};

class Example {
  @Noted()
  at!: Date;

  absent?: string;
}

describe('swc-transform', () => {
  it('loads packages that are ES modules only', () => {
    expect(UnsecuredJWT.decode(new UnsecuredJWT({ a: 1 }).encode()).payload).toEqual({ a: 1 });
  });

  it('keeps the types of decorated properties, and creates no properties for declarations', () => {
    expect(Reflect.getMetadata('design:type', Example.prototype, 'at')).toBe(Date);
    expect(Object.keys(new Example())).toEqual([]);
  });
});
