# A mistake in a name.
op wrong(x: T) -> y: T { y(i...) = expp(x(i...)) }
